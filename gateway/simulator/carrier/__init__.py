"""The phone company behind a simulated platform: calls placed and moved by REST, people who answer, and rooms."""
