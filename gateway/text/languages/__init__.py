"""What is particular to one language: abbreviations, number words, units, spellings."""
