"""How the software is put where it runs. A folder a place; nothing here runs in a call."""
