"""Test suite. Run with `make test`; see CONTRIBUTING.md for markers."""
