"""Reading settings: defaults, profile, file, environment and --set, laid over each other and checked.

Every mistake is one sentence that names the source, the key and the remedy.
"""

import argparse
import copy
import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from config import bots, tools
from config.errors import ConfigError
from config.settings import Settings, WorkerSettings

ENV_PREFIX = "VOICEBOT_"
M = TypeVar("M", bound=BaseModel)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give a command --config, --profile and --set: the `file`, `profile` and `overrides` of `load`."""
    parser.add_argument("--config", type=Path, metavar="FILE", help="a TOML file laid over the defaults")
    parser.add_argument("--profile", default="", metavar="NAME", help=f"a profile: {', '.join(_profiles())}")
    parser.add_argument(
        "--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="one setting; may be repeated"
    )


class _AnyName(Mapping[str, Any]):
    """The known keys of a section whose tables the operator names: each table has the keys of `kind`."""

    def __init__(self, kind: Mapping[str, Any]) -> None:
        self._kind = kind

    def __getitem__(self, name: str) -> Mapping[str, Any]:
        return self._kind

    def __iter__(self) -> Iterator[str]:
        return iter(("NAME",))

    def __len__(self) -> int:
        return 1


def load(
    profile: str = "",
    file: Path | None = None,
    overrides: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Return the gateway's settings from defaults, profile, file, environment and `section.key=value` overrides.

    Raises ConfigError with one sentence naming the key, the fault and the remedy.
    """
    return _validated(Settings, _merged(profile, file, overrides, os.environ if environ is None else environ))


def load_worker(
    profile: str = "",
    file: Path | None = None,
    overrides: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
) -> WorkerSettings:
    """Return the worker's part of the same configuration; errors as in `load`."""
    return _validated(WorkerSettings, _merged(profile, file, overrides, os.environ if environ is None else environ))


def _merged(profile: str, file: Path | None, overrides: Sequence[str], environ: Mapping[str, str]) -> dict[str, Any]:
    folder = resources.files("config")
    merged = tomllib.loads((folder / "default.toml").read_text("utf-8"))
    bot = bots.known_keys(merged)
    known = {
        **copy.deepcopy(merged),  # what a source brings in is no key of the next one
        "bot": bot,
        "bots": _AnyName({**bot, **{own: merged[own] for own in bots.OWN_TABLES}}),
        "tools": _AnyName(tools.KNOWN_KEYS),
    }
    if profile:
        _overlay(merged, _profile(profile), f"profile {profile}", known)
    if file is not None:
        _overlay(merged, _toml_file(file), str(file), known)
    for name, value in sorted(environ.items()):
        if name.startswith(ENV_PREFIX):
            path = name[len(ENV_PREFIX) :].lower().split("__")
            if len(path) == 1 and path[0] not in known:
                raise ConfigError(f"{name}: two underscores part section and key, as in VOICEBOT_SERVER__PORT")
            _overlay(merged, _nested(path, _value(value, _default(known, path))), name, known)
    for override in overrides:
        key, sign, text = override.partition("=")
        if not sign:
            raise ConfigError(f"--set {override}: expected section.key=value")
        path = key.strip().split(".")
        _overlay(merged, _nested(path, _value(text, _default(known, path))), f"--set {key}", known)
    bots.complete(merged)
    return merged


def _profiles() -> list[str]:
    folder = resources.files("config") / "profiles"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def _profile(name: str) -> dict[str, Any]:
    if name not in _profiles():
        raise ConfigError(f"there is no profile {name}; choose one of {', '.join(_profiles())}")
    return tomllib.loads((resources.files("config") / "profiles" / f"{name}.toml").read_text("utf-8"))


def _toml_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}; give --config an existing file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error


def _overlay(
    base: dict[str, Any], extra: Mapping[str, Any], source: str, known: Mapping[str, Any], at: str = ""
) -> None:
    """Lay `extra` over `base` in place; a table over a table merges, anything else replaces."""
    for key, value in extra.items():
        name = f"{at}{key}"
        if key not in known:
            close = difflib.get_close_matches(key, list(known), n=1)
            hint = f"; did you mean {at}{close[0]}?" if close else "; config/default.toml lists every key"
            raise ConfigError(f"{source}: there is no setting {name}{hint}")
        inner = known[key]
        if isinstance(inner, Mapping) and inner and not isinstance(value, Mapping):
            raise ConfigError(
                f"{source}: {name} is a section, not a value; set one of its keys, e.g. {name}.{next(iter(inner))}"
            )
        if isinstance(value, Mapping) and isinstance(inner, Mapping) and inner:
            _overlay(base.setdefault(key, {}), value, source, inner, f"{name}.")
        else:
            base[key] = value


def _nested(path: Sequence[str], value: Any) -> dict[str, Any]:
    for key in reversed(path):
        value = {key: value}
    return dict(value)


def _default(known: Mapping[str, Any], path: Sequence[str]) -> Any:
    value: Any = known
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _value(text: str, default: Any) -> Any:
    """Read an environment or --set value as TOML; where the default is a text, it is the text itself."""
    if isinstance(default, str):
        return text
    try:
        return tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError:
        return text


# In TOML's words.
_TABLE = "input should be a table"
_KINDS = {"tuple_type": "input should be a list", "dict_type": _TABLE, "model_type": _TABLE}


def _validated(model: type[M], values: Mapping[str, Any]) -> M:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        said = _KINDS.get(first["type"]) or first["msg"].removeprefix("Value error, ")
        if not name or (first["type"] == "value_error" and "." not in name):  # a table's own rule names its keys
            raise ConfigError(f"{said} (config/default.toml explains every key)") from None
        secret = any(word in name for word in ("token", "key", "secret", "password"))
        shown = "" if secret or isinstance(first["input"], Mapping) else f", got {first['input']!r}"
        raise ConfigError(f"{name}: {said[0].lower()}{said[1:]}{shown} (config/default.toml explains it)") from None
