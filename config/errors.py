"""The operator's mistakes: a wrong setting, file, argument or missing model."""


class ConfigError(Exception):
    """Its text is one sentence: what is wrong, where, and the remedy. The command line prints it and exits with 2."""
