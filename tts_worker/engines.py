"""The engines by name; only the chosen one's libraries are imported."""

import importlib

from config.errors import ConfigError
from tts_worker.engine import Engine


def build_engine(name: str, models_dir: str, weights: str, threads: int, device: str) -> Engine:
    """Return the engine, not warmed up; ConfigError when its libraries or files are missing."""
    if name == "tone":
        from tts_worker.tone import ToneEngine

        return ToneEngine()
    try:
        module = importlib.import_module(f"tts_worker.{name}")
    except ImportError as error:
        extra = "worker-gpu" if name == "kokoro_torch" else "local"
        raise ConfigError(
            f'worker.engine {name} needs {error.name}; install it with pip install -c constraints.txt -e ".[{extra}]"'
        ) from error
    engine: Engine = module.build_engine(models_dir=models_dir, weights=weights, threads=threads, device=device)
    return engine
