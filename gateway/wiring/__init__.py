"""From settings to parts, a part of the house a file; app.py puts them together."""
