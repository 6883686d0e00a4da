"""Leaves of the kokoro package's model that know how long each item of a padded batch is.

A padded batch equals its solo runs when nothing behind an item's end reaches it: norms count an item's own frames, and
what a convolution would read behind an end is zero, as it is in a solo run.

Time is counted in frames of 600 samples; inside the decoder a frame is 1, 2, 20 or 120 steps wide.
"""

from collections.abc import Sequence
from typing import Any

import torch
from kokoro.istftnet import AdaIN1d, AdainResBlk1d, TorchSTFT
from torch import Tensor, nn

from tts_worker.engine import Interrupted


class Ragged:
    """How many frames each item of the batch in work has. `interrupt` may be called from any thread."""

    def __init__(self) -> None:
        self._frames: Tensor | None = None
        self._longest = 0
        self._masks: dict[int, Tensor] = {}
        self._is_interrupted = False

    def begin(self) -> None:
        """Forget the batch before, and an interruption that came too late for it."""
        self._is_interrupted = False

    def interrupt(self) -> None:
        self._is_interrupted = True

    def check(self) -> None:
        """Raise Interrupted when nobody waits for the batch any more."""
        if self._is_interrupted:
            raise Interrupted

    def measure(self, frames: Sequence[int], device: torch.device) -> None:
        """Set the batch's lengths; equal ones need no masks."""
        self._longest = max(frames)
        self._masks.clear()
        self._frames = torch.tensor(frames, device=device) if min(frames) < self._longest else None

    def lengths(self, steps: int) -> Tensor | None:
        """Return each item's own part of a time axis of `steps`; None when all of it is theirs."""
        if self._frames is None:
            return None
        per_frame = steps // self._longest  # the decoder's last stage has one step more than frames: an edge
        return self._frames * per_frame + (steps - per_frame * self._longest)

    def mask(self, steps: int) -> Tensor | None:
        """Return 1 within and 0 behind each item, shape (items, 1, steps); None when nothing is behind any."""
        lengths = self.lengths(steps)
        if lengths is None:
            return None
        if steps not in self._masks:
            inside = torch.arange(steps, device=lengths.device) < lengths[:, None]
            self._masks[steps] = inside[:, None].float()
        return self._masks[steps]

    def zeroed(self, x: Tensor) -> Tensor:
        """Return `x` with zeros behind each item's end."""
        mask = self.mask(x.shape[-1])
        return x if mask is None else x * mask.to(x.dtype)


class RaggedAdaIN(AdaIN1d):  # type: ignore[misc]  # the package is untyped
    """The package's style norm with each item's own statistics, and zeros behind its end."""

    def __init__(self, own: AdaIN1d, ragged: Ragged) -> None:
        nn.Module.__init__(self)
        self.norm, self.fc, self._ragged = own.norm, own.fc, ragged

    def forward(self, x: Tensor, style: Tensor) -> Tensor:
        self._ragged.check()
        mask = self._ragged.mask(x.shape[-1])
        if mask is None:
            same: Tensor = super().forward(x, style)
            return same
        var, mean = _moments(x.float(), mask)
        gamma, beta = self.fc(style).float().unsqueeze(-1).chunk(2, dim=1)
        # Norm, the norm's own scale and shift, and the style's, all in one product and one sum.
        scale = (1 + gamma) * self.norm.weight[:, None] * torch.rsqrt(var + self.norm.eps)
        shift = beta + (1 + gamma) * self.norm.bias[:, None] - mean * scale
        return torch.addcmul(shift.to(x.dtype), x, scale.to(x.dtype)) * mask.to(x.dtype)


def _moments(x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Return variance and mean of each channel within its item."""
    count = mask.sum(dim=-1, keepdim=True)
    mean = (x * mask).sum(dim=-1, keepdim=True) / count
    return ((x - mean) * mask).square().sum(dim=-1, keepdim=True) / count, mean


class RaggedSTFT(TorchSTFT):  # type: ignore[misc]  # the package is untyped
    """The package's transform, with each item mirrored at its own end and added up by its own frames."""

    def __init__(self, own: TorchSTFT, ragged: Ragged) -> None:
        super().__init__(own.filter_length, own.hop_length, own.win_length)
        self._ragged = ragged
        self._tail_gain = _tail_gain(self.window, own.hop_length)

    def transform(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Take (items, samples) apart into magnitude and phase."""
        source = source.float()
        lengths = self._ragged.lengths(source.shape[-1])
        if lengths is not None:
            position = torch.arange(source.shape[-1], device=source.device)
            mirrored = torch.minimum(position, 2 * (lengths[:, None] - 1) - position)
            source = source.gather(1, mirrored.clamp(min=0))
        magnitude, phase = super().transform(source)
        return self._ragged.zeroed(magnitude), self._ragged.zeroed(phase)

    def inverse(self, magnitude: Tensor, phase: Tensor) -> Tensor:
        """Put samples together, shape (items, 1, samples)."""
        samples: Tensor = super().inverse(self._ragged.zeroed(magnitude.float()), phase.float())
        lengths = self._ragged.lengths(samples.shape[-1])
        if lengths is not None:
            gain = self._tail_gain.to(samples.device)
            for item in torch.nonzero(lengths < samples.shape[-1])[:, 0].tolist():
                end = int(lengths[item])
                samples[item, 0, end - len(gain) : end] *= gain
        return samples


def _tail_gain(window: Tensor, hop: int) -> Tensor:
    """Return what makes the last half window before an item's end as loud as in a solo run.

    The inverse transform divides by the windows of all frames, those behind the end included; theirs are taken out.
    """
    half, power = len(window) // 2, window.square()
    all_frames = power.sum() / hop
    behind = torch.zeros(half)
    for start in range(hop, half, hop):
        behind[start:] += power[: half - start]
    return all_frames / (all_frames - behind)


def adapt(model: Any, ragged: Ragged) -> None:
    """Replace the leaves of a KModel in place; parameters keep their names and values."""
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if type(child) is AdaIN1d:
                setattr(parent, name, RaggedAdaIN(child, ragged))
        if isinstance(parent, AdainResBlk1d) and parent.upsample_type != "none":
            # Between this one and the convolution behind it is no norm, and its bias would be read from behind the end.
            parent.pool.register_forward_hook(lambda _, inputs, output: ragged.zeroed(output))
    generator = model.decoder.generator
    generator.stft = RaggedSTFT(generator.stft, ragged)
    # Every other convolution that reads beyond its own step follows a norm, which leaves zeros there.
    for layer in (*generator.ups, generator.conv_post):
        layer.register_forward_pre_hook(lambda _, inputs: (ragged.zeroed(inputs[0]),))


def fold_weight_norms(model: nn.Module) -> None:
    """Multiply out what the package keeps as length and direction and would multiply at every call."""
    for module in model.modules():
        if hasattr(module, "weight_g"):
            nn.utils.remove_weight_norm(module)


def store_weights_as(model: nn.Module, dtype: torch.dtype) -> None:
    """Keep the weights autocast would convert at every call in the type it would convert them to."""
    for module in model.modules():
        if isinstance(module, nn.Conv1d | nn.ConvTranspose1d | nn.Linear):
            module.to(dtype)
