"""Kokoro's files in the store, and what is derived from its int8 ONNX file.

The ONNX engine runs a copy that also gives each token's duration. The torch engine, where it has no weights of its
own, takes the parameters out of the same file. `python -m tts_worker.weights` writes the copy ahead of the first start.
"""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from config.errors import ConfigError
from config.models import ModelStore
from config.packages import sha256_of

# The duration predictor's rounded and clipped result, in frames of 600 samples, one for each token.
DURATIONS = "/encoder/Clip_output_0"
_KEY_CHARS = 12


@dataclass(frozen=True, slots=True)
class KokoroFiles:
    """The files an engine is built from."""

    onnx: Path
    voices: Path
    config: Path


def locate_kokoro(models_dir: str, onnx_path: str = "") -> KokoroFiles:
    """Find Kokoro in the store at `models_dir` ("" is the user's cache); `onnx_path` replaces the ONNX file.

    Raises ConfigError, with the remedy, when a file is missing.
    """
    local = {"kokoro": Path(onnx_path)} if onnx_path else {}
    store = ModelStore(Path(models_dir) if models_dir else None, local)
    return KokoroFiles(store.locate("kokoro"), store.locate("kokoro-voices"), store.locate("kokoro-config"))


def with_durations(source: Path) -> Path:
    """Return the copy of an ONNX file that gives durations, made beside it on the first call.

    The copy's name holds the source's checksum, so that another source gets another copy. Raises ConfigError when the
    source is not Kokoro, or its folder cannot be written to.
    """
    target = source.with_name(f"{source.stem}.durations-{sha256_of(source)[:_KEY_CHARS]}.onnx")
    if target.exists():
        return target
    written = target.with_suffix(f".{os.getpid()}.part")
    try:
        onnx.save(_give_durations(source), written)
        _settle(written)
        written.replace(target)
    except OSError as error:
        with suppress(OSError):  # on a full disk every start would leave another
            written.unlink(missing_ok=True)
        raise ConfigError(
            f"{target} cannot be written ({error}); for the first start its folder must be writable, with room for a "
            "copy of the model."
        ) from error
    return target


def _settle(path: Path) -> None:
    """Have the file on the disk before it gets its name: half of it, after a power cut, would be taken for whole."""
    with path.open("rb") as written:
        os.fsync(written.fileno())


def _give_durations(source: Path) -> onnx.ModelProto:
    model = load_onnx(source)
    if DURATIONS not in {name for node in model.graph.node for name in node.output}:
        raise ConfigError(f"{source} has no {DURATIONS}; use the file of `voicebot models kokoro`.")
    model.graph.output.append(helper.make_tensor_value_info(DURATIONS, TensorProto.FLOAT, None))
    return model


def load_onnx(source: Path) -> onnx.ModelProto:
    """Read an ONNX file; ConfigError when it is none."""
    try:
        return onnx.load(str(source))
    except Exception as error:  # protobuf's error class depends on its implementation
        raise ConfigError(
            f"{source} is not an ONNX file ({type(error).__name__}); run `voicebot models kokoro`."
        ) from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the derived file; an argument replaces the user's cache as the store."""
    models_dir = next(iter(sys.argv[1:] if arguments is None else arguments), "")
    try:
        print(with_durations(locate_kokoro(models_dir).onnx))
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
