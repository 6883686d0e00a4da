"""Several texts of different length in one pass through the kokoro package's own model.

The package's text encoders know lengths already; here its recurrent layers are packed, each item is spread over its own
frames, and the leaves of `ragged` keep what lies behind an item's end out of it. So a batch equals its solo runs but
for the noise that voices breath, which differs from run to run anyway.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from tts_worker.ragged import Ragged, adapt, fold_weight_norms, store_weights_as

FRAME_SAMPLES = 600
# Of a voice's 256 style values, the first half colours the sound, the second the melody.
_SOUND = slice(None, 128)
_MELODY = slice(128, None)


@dataclass(frozen=True, slots=True)
class Said:
    """One item's speech: float32 samples at 24 kHz, and the frames of each of its tokens."""

    samples: Tensor = field(repr=False)
    durations: Tensor = field(repr=False)


class BatchedKokoro:
    """A KModel that speaks batches; the model is the wrapper's from then on. One thread, except for `interrupt`."""

    def __init__(self, model: Any, dtype: torch.dtype) -> None:
        """`dtype` is what matrix products and convolutions run in; float32 needs no autocast."""
        self._model = model.eval()
        self._dtype = dtype
        self._ragged = Ragged()
        fold_weight_norms(model)
        adapt(model, self._ragged)
        if dtype is not torch.float32:
            store_weights_as(model, dtype)

    def interrupt(self) -> None:
        """Let `speak` raise Interrupted soon; without effect when it is not at work."""
        self._ragged.interrupt()

    def speak(
        self,
        tokens: Sequence[Sequence[int]],
        styles: Tensor,
        speeds: Sequence[float],
        wanted: Callable[[int], bool] = lambda item: True,
    ) -> list[Said | None]:
        """Say every item; `styles` has a row of 256 for each. Raises Interrupted.

        Items that `wanted` refuses once their durations are known, before the costly part, are left out: None.
        """
        self._ragged.begin()
        device = self._model.device
        styles = styles.to(device)
        with torch.inference_mode(), torch.autocast(device.type, self._dtype, self._dtype is not torch.float32):
            ids, lengths, behind = _padded(tokens, device)
            texture, durations = self._durations(ids, lengths, behind, styles[:, _MELODY], speeds)
            rows = [row for row in range(len(tokens)) if wanted(row)]
            said: list[Said | None] = [None] * len(tokens)
            if rows:
                kept = torch.tensor(rows, device=device)
                parts = (part[kept] for part in (ids, behind, texture, styles))
                for row, samples in zip(rows, self._sound(lengths[rows], durations[rows], *parts), strict=True):
                    said[row] = Said(samples, durations[row, : lengths[row]])
        return said

    def _durations(
        self, ids: Tensor, lengths: Tensor, behind: Tensor, melody: Tensor, speeds: Sequence[float]
    ) -> tuple[Tensor, Tensor]:
        """Return the predictor's view of the text, and each token's frames (on the CPU, 0 behind the end)."""
        predictor = self._model.predictor
        read = self._model.bert(ids, attention_mask=(~behind).int())
        texture = predictor.text_encoder(self._model.bert_encoder(read).transpose(-1, -2), melody, lengths, behind)
        steady = predictor.duration_proj(_packed(predictor.lstm, texture, lengths))
        rate = torch.tensor(speeds, device=ids.device, dtype=torch.float32)[:, None]
        frames = torch.round(torch.sigmoid(steady.float()).sum(dim=-1) / rate).clamp(min=1).long()
        return texture, frames.masked_fill(behind, 0).cpu()

    def _sound(
        self, lengths: Tensor, durations: Tensor, ids: Tensor, behind: Tensor, texture: Tensor, styles: Tensor
    ) -> list[Tensor]:
        """Return each item's samples, on the CPU."""
        frames = durations.sum(dim=-1)
        self._ragged.measure(frames.tolist(), ids.device)
        token_of = _tokens_by_frame(durations).to(ids.device)
        f0, energy = self._curves(_spread(texture.transpose(-1, -2), token_of), styles[:, _MELODY], frames)
        letters = self._model.text_encoder(ids, lengths, behind)
        sounds = self._ragged.zeroed(_spread(letters, token_of))
        audio = self._model.decoder(sounds, f0, energy, styles[:, _SOUND])[:, 0].float().cpu()
        return [audio[row, : count * FRAME_SAMPLES] for row, count in enumerate(frames.tolist())]

    def _curves(self, x: Tensor, melody: Tensor, frames: Tensor) -> tuple[Tensor, Tensor]:
        """Return pitch and energy, two values a frame; 0 behind each end, which the decoder reads as unvoiced."""
        predictor = self._model.predictor
        shared = _packed(predictor.shared, x.transpose(-1, -2), frames).transpose(-1, -2)
        curves = []
        for blocks, project in ((predictor.F0, predictor.F0_proj), (predictor.N, predictor.N_proj)):
            curve = shared
            for block in blocks:
                curve = block(curve, melody)
            curves.append(self._ragged.zeroed(project(curve).float())[:, 0])
        return curves[0], curves[1]


def _padded(tokens: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """Return ids (items, longest), their lengths on the CPU, and a mask that is true behind each end."""
    lengths = torch.tensor([len(item) for item in tokens])
    longest = int(lengths.max())
    ids = torch.tensor([[*item, *([0] * (longest - len(item)))] for item in tokens], device=device)
    behind = torch.arange(longest) >= lengths[:, None]
    return ids, lengths, behind.to(device)


def _packed(layer: nn.LSTM, x: Tensor, lengths: Tensor) -> Tensor:
    """Run a recurrent layer over items of their own lengths; 0 behind them."""
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    y, _ = nn.utils.rnn.pad_packed_sequence(layer(packed)[0], batch_first=True, total_length=x.shape[1])
    return y


def _tokens_by_frame(durations: Tensor) -> Tensor:
    """Return which token each frame belongs to, shape (items, longest); behind an end it is the last."""
    ends = durations.cumsum(dim=-1)
    frames = torch.arange(int(ends[:, -1].max())).expand(len(ends), -1).contiguous()
    return torch.searchsorted(ends, frames, right=True).clamp(max=durations.shape[-1] - 1)


def _spread(x: Tensor, token_of: Tensor) -> Tensor:
    """Repeat each token's column of (items, channels, tokens) for its frames."""
    return x.gather(2, token_of[:, None].expand(-1, x.shape[1], -1))
