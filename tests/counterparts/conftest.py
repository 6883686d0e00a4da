"""The vendors' libraries have an environment of their own (.ci/counterparts-tests); elsewhere nothing is collected."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("twilio") else ["test_*.py"]
