"""Operator page and browser softphone."""
