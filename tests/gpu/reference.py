"""The public reference's scheme around the kokoro package's own model: one lock, whole text before the first byte.

`python -m tests.gpu.reference --port 8091 --device cuda`. Same weights, phonemes and precision as the worker; nothing
of its batching, scheduling, folded weights or streaming.
"""

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from media.pcm import float_to_pcm16
from tts_worker.g2p import Phonemizer
from tts_worker.kokoro_torch import best_dtype, load_model
from tts_worker.pieces import cut
from tts_worker.symbols import Alphabet
from tts_worker.voices import VoiceBook
from tts_worker.weights import locate_kokoro

_VOICE = "af_heart"


class Reference:
    """The model, loaded and spoken to once."""

    def __init__(self, weights: str, device: str) -> None:
        files = locate_kokoro("")
        self._device = torch.device(device)
        self._model: Any = load_model(Path(weights) if weights else files.onnx, files.config).to(self._device).eval()
        self._dtype = best_dtype(self._device)
        self._phonemizer, self._voices = Phonemizer(Alphabet.load(files.config)), VoiceBook(files.voices)
        self._lock = asyncio.Lock()
        self.speak("Hello, this is how the voice begins.")

    def speak(self, text: str) -> bytes:
        """Return all of a text's speech, PCM s16le at 24 kHz."""
        pieces = cut(text, self._phonemizer.units(text, "en-us"), _VOICE, "en-us", 1.0, early=False)
        return b"".join(self._say(piece.phonemes) for piece in pieces)

    def _say(self, phonemes: str) -> bytes:
        ids = torch.tensor([[0, *self._phonemizer.alphabet.tokens(phonemes), 0]], device=self._device)
        style = torch.from_numpy(self._voices.style(_VOICE, len(phonemes))).to(self._device)
        autocast = self._dtype is not torch.float32
        with torch.inference_mode(), torch.autocast(self._device.type, self._dtype, autocast):
            audio, _ = self._model.forward_with_tokens(ids, style, 1.0)
        return float_to_pcm16(audio.reshape(-1).float().cpu().numpy().astype(np.float32)).pcm

    async def invocations(self, request: Request) -> Response:
        body = json.loads(await request.body())
        async with self._lock:
            pcm = await asyncio.to_thread(self.speak, body["text"])
        return Response(pcm, media_type="audio/pcm")


async def ping(request: Request) -> Response:
    return JSONResponse({"status": "ok"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--weights", default="")
    options = parser.parse_args()
    reference = Reference(options.weights, options.device)
    routes = [Route("/ping", ping), Route("/invocations", reference.invocations, methods=["POST"])]
    uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=options.port, log_level="warning")


if __name__ == "__main__":
    main()
