"""Third, what stands beside each other: cells of one baseline, figures, gutters, floats."""
