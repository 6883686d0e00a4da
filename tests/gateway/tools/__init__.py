"""Tests of gateway/tools."""
