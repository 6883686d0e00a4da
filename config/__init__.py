"""Configuration, logging and the catalogue of model files. Imports nothing of ours."""
