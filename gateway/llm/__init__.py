"""Thinking: streaming language models behind one protocol (base.py)."""
