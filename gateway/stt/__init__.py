"""Hearing: recognisers behind one protocol (base.py)."""
