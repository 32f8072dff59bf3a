"""Second, characters: accents, scripts and blanks that were drawn another way than read,
and what stands raised."""
