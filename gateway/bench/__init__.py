"""Measurements that anybody can run again: `voicebot bench`, `voicebot soak`. They print figures and judge nothing."""
