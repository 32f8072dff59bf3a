"""First of all, what words say in questions and texts alike: numbers, names, dates,
versions, kinds of answers. Both languages."""
