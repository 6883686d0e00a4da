"""Hearing by a service in the cloud: one stream a call, whoever the service is (base.py)."""
