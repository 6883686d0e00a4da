"""Acting: what the model may do beside speaking, behind one protocol (base.py)."""
