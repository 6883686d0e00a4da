"""The leaves one by one, with small tensors of noise."""

from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", reason="the torch engine's environment has it (make test builds one)")
pytest.importorskip("kokoro", reason="the kokoro package supports Python below 3.13")

from kokoro.istftnet import AdaIN1d, AdainResBlk1d, TorchSTFT  # noqa: E402

from tts_worker.engine import Interrupted  # noqa: E402
from tts_worker.ragged import (  # noqa: E402
    Ragged,
    RaggedAdaIN,
    RaggedSTFT,
    adapt,
    fold_weight_norms,
    store_weights_as,
)

pytestmark = pytest.mark.torch

CPU = torch.device("cpu")
FRAMES = [3, 7, 5]


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(1)


def ragged() -> Ragged:
    lengths = Ragged()
    lengths.measure(FRAMES, CPU)
    return lengths


def padded(channels: int, per_frame: int, edge: int = 0) -> tuple[Any, list[int]]:
    """Noise, also behind the ends: nobody may be led by it."""
    steps = [per_frame * frames + edge for frames in FRAMES]
    return torch.randn(len(FRAMES), channels, max(steps)), steps


@pytest.mark.parametrize(("per_frame", "edge"), [(1, 0), (2, 0), (20, 0), (120, 1)])
def test_a_mask_covers_each_item_at_every_stage_of_the_decoder(per_frame: int, edge: int) -> None:
    mask = ragged().mask(7 * per_frame + edge)

    assert mask is not None
    assert mask.sum(dim=(1, 2)).tolist() == [frames * per_frame + edge for frames in FRAMES]


def test_equal_lengths_need_no_mask() -> None:
    lengths = Ragged()
    lengths.measure([5, 5], CPU)
    x = torch.randn(2, 3, 5)

    assert lengths.mask(5) is None
    assert lengths.zeroed(x) is x


@pytest.mark.parametrize("per_frame", [1, 20])
def test_the_norm_equals_the_packages_on_each_item_alone_and_leaves_zeros_behind(per_frame: int) -> None:
    own = AdaIN1d(8, 4)
    torch.nn.init.normal_(own.norm.weight)
    torch.nn.init.normal_(own.norm.bias)
    x, steps = padded(4, per_frame)
    style = torch.randn(3, 8)

    styled = RaggedAdaIN(own, ragged())(x + 10, style)

    for item, end in enumerate(steps):
        alone = own(x[item : item + 1, :, :end] + 10, style[item : item + 1])
        assert torch.allclose(styled[item : item + 1, :, :end], alone, atol=1e-4)
        assert not styled[item, :, end:].any()


def test_the_norm_of_items_of_one_length_equals_the_packages() -> None:
    own, lengths = AdaIN1d(8, 4), Ragged()
    lengths.measure([6, 6], CPU)
    x, style = torch.randn(2, 4, 6), torch.randn(2, 8)

    assert torch.allclose(RaggedAdaIN(own, lengths)(x, style), own(x, style), atol=1e-5)


def test_an_interruption_ends_the_forward_pass_at_the_next_norm() -> None:
    lengths = ragged()
    norm = RaggedAdaIN(AdaIN1d(8, 4), lengths)
    lengths.interrupt()

    with pytest.raises(Interrupted):
        norm(torch.randn(3, 4, 7), torch.randn(3, 8))
    lengths.begin()
    norm(torch.randn(3, 4, 7), torch.randn(3, 8))


def test_the_transform_there_and_back_equals_the_packages_on_each_item_alone() -> None:
    own = TorchSTFT(20, 5, 20)
    transform = RaggedSTFT(own, ragged())
    source = torch.randn(3, 7 * 600)

    magnitude, phase = transform.transform(source)
    # What a network would leave behind an end, and change within it.
    samples = transform.inverse(magnitude * 1.5 + 0.1, phase + 0.2)

    for item, frames in enumerate(FRAMES):
        alone = own.transform(source[item : item + 1, : frames * 600])
        columns = frames * 120 + 1
        assert torch.allclose(magnitude[item : item + 1, :, :columns], alone[0], atol=1e-4)
        back = own.inverse(alone[0] * 1.5 + 0.1, alone[1] + 0.2)
        assert torch.allclose(samples[item, 0, : frames * 600], back[0, 0], atol=1e-4)


class Tiny(torch.nn.Module):  # type: ignore[misc]  # torch is untyped here
    """As much of a KModel as `adapt` looks at."""

    def __init__(self) -> None:
        super().__init__()
        self.block = AdainResBlk1d(4, 4, 8, upsample=True)
        self.decoder = torch.nn.Module()
        self.decoder.generator = torch.nn.Module()
        self.decoder.generator.stft = TorchSTFT(20, 5, 20)
        self.decoder.generator.ups = torch.nn.ModuleList([torch.nn.ConvTranspose1d(4, 4, 20, 10, 5)])
        self.decoder.generator.conv_post = torch.nn.Conv1d(4, 4, 7, padding=3)


def test_an_upsampling_block_equals_its_solo_runs_once_adapted() -> None:
    model, alone = Tiny(), Tiny()
    alone.load_state_dict(model.state_dict())
    adapt(model, ragged())
    x, steps = padded(4, 1)
    style = torch.randn(3, 8)

    y = model.block(x, style)

    for item, end in enumerate(steps):
        expected = alone.block(x[item : item + 1, :, :end], style[item : item + 1])
        assert torch.allclose(y[item : item + 1, :, : 2 * end], expected, atol=1e-4)


def test_convolutions_without_a_norm_before_them_read_zeros_behind_an_end() -> None:
    model, alone = Tiny(), Tiny()
    alone.load_state_dict(model.state_dict())
    adapt(model, ragged())
    x, steps = padded(4, 2)
    for layer, plain, wide in (
        (model.decoder.generator.ups[0], alone.decoder.generator.ups[0], 10),
        (model.decoder.generator.conv_post, alone.decoder.generator.conv_post, 1),
    ):
        y = layer(x)
        for item, end in enumerate(steps):
            expected = plain(x[item : item + 1, :, :end])
            assert torch.allclose(y[item : item + 1, :, : wide * end], expected, atol=1e-5)


def test_adapting_keeps_every_parameter_under_its_name() -> None:
    model = Tiny()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    adapt(model, Ragged())

    assert {name: value.tolist() for name, value in model.state_dict().items()} == {
        name: value.tolist() for name, value in before.items()
    }


def test_folded_weights_give_the_same_and_are_not_multiplied_again() -> None:
    model, x, style = Tiny(), torch.randn(1, 4, 9), torch.randn(1, 8)
    before = model.block(x, style)
    fold_weight_norms(model)

    assert not any(name.endswith("weight_g") for name, _ in model.named_parameters())
    assert torch.allclose(model.block(x, style), before, atol=1e-5)


def test_weights_are_kept_in_the_type_autocast_would_make_of_them() -> None:
    model, x, style = Tiny(), torch.randn(1, 4, 9), torch.randn(1, 8)
    fold_weight_norms(model)
    with torch.autocast("cpu", torch.bfloat16):
        before = model.block(x, style)
        store_weights_as(model, torch.bfloat16)
        after = model.block(x, style)

    assert model.block.conv1.weight.dtype is torch.bfloat16
    assert torch.equal(before, after)
