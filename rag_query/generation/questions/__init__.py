"""Third, what a question asks: its words, what it names and owns, what it follows up."""
