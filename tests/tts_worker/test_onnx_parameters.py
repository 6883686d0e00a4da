from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from config.errors import ConfigError
from config.models import ModelStore
from tts_worker.onnx_parameters import read_parameters

Stored = dict[str, npt.NDArray[np.generic]]


def write(path: Path, nodes: list[onnx.NodeProto], stored: Stored) -> Path:
    tensors = [numpy_helper.from_array(value, name) for name, value in stored.items()]
    output = helper.make_tensor_value_info("out", TensorProto.FLOAT, None)
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", [], [output], tensors)), str(path))
    return path


def read(path: Path, op: str, scope: str, inputs: list[str], stored: Stored) -> dict[str, npt.NDArray[np.float32]]:
    return read_parameters(
        write(path / "x.onnx", [helper.make_node(op, inputs, ["out"], name=f"{scope}/{op}")], stored)
    )


def test_tensors_that_kept_their_names_are_parameters(tmp_path: Path) -> None:
    stored: Stored = {
        "encoder.bert_encoder.bias": np.array([1, 2], np.float32),
        "decoder.decoder.F0_conv.bias": np.array([3], np.float32),
        "something.else": np.array([4], np.float32),
    }

    parameters = read_parameters(write(tmp_path / "x.onnx", [], stored))

    assert {name: value.tolist() for name, value in parameters.items()} == {
        "bert_encoder.bias": [1, 2],
        "decoder.F0_conv.bias": [3],
    }


def test_a_quantised_product_becomes_a_float_weight(tmp_path: Path) -> None:
    stored: Stored = {
        "w_quantized": np.array([[10, 20, 30], [40, 50, 60]], np.uint8),
        "w_scale": np.array(0.5, np.float32),
        "w_zero_point": np.array(10, np.uint8),
    }
    inputs = ["x", "w_quantized", "x_zero", "w_zero_point"]

    (weight,) = read(tmp_path, "MatMulInteger", "/encoder/bert_encoder", inputs, stored).items()

    assert weight[0] == "bert_encoder.weight"
    assert weight[1].tolist() == [[0, 15], [5, 20], [10, 25]]


def test_a_weight_that_is_stored_twice_shares_its_scale(tmp_path: Path) -> None:
    stored: Stored = {"w_1_quantized": np.array([[2]], np.int8), "w_scale": np.array(3, np.float32)}

    parameters = read(tmp_path, "ConvInteger", "/encoder/F0_proj", ["x", "w_1_quantized"], stored)

    assert parameters["predictor.F0_proj.weight"].tolist() == [[6]]


@pytest.mark.parametrize(
    ("scope", "path"),
    [
        ("/encoder/F0.0/conv1", "predictor.F0.0.conv1"),
        ("/encoder/N_proj", "predictor.N_proj"),
        ("/encoder/shared", "predictor.shared"),
        ("/encoder/text_encoder/cnn.0/cnn.0.0", "text_encoder.cnn.0.0"),
        ("/encoder/predictor/duration_proj", "predictor.duration_proj"),
        ("/decoder/decoder/generator/resblocks.5/convs2.2", "decoder.generator.resblocks.5.convs2.2"),
    ],
)
def test_a_nodes_scope_is_its_modules_path(tmp_path: Path, scope: str, path: str) -> None:
    stored: Stored = {"w": np.ones((2, 1, 1), np.float32)}

    assert list(read(tmp_path, "Conv", scope, ["x", "w"], stored)) == [f"{path}.weight"]


def test_plain_products_are_transposed(tmp_path: Path) -> None:
    stored: Stored = {"w": np.array([[1, 2]], np.float32)}

    assert read(tmp_path, "MatMul", "/encoder/a", ["x", "w"], stored)["a.weight"].tolist() == [[1], [2]]


@pytest.mark.parametrize("op", ["MatMul", "Conv", "ConvTranspose", "MatMulInteger", "ConvInteger", "Gather"])
def test_computed_inputs_are_no_parameters(tmp_path: Path, op: str) -> None:
    assert read(tmp_path, op, "/encoder/a", ["x", "y"], {}) == {}


def test_an_embedding_takes_the_shared_zero_point(tmp_path: Path) -> None:
    stored: Stored = {
        "e_quantized": np.array([[5, 7]], np.uint8),
        "e_scale": np.array(2, np.float32),
        "encoder.bert.embeddings.word_embeddings.weight_zero_point": np.array(5, np.uint8),
    }

    assert read(tmp_path, "Gather", "/encoder/emb", ["e_quantized", "ids"], stored)["emb.weight"].tolist() == [[0, 4]]


def test_the_gates_of_a_recurrent_layer_are_reordered(tmp_path: Path) -> None:
    gates = np.tile(np.array([1, 2, 3, 4], np.int8), (2, 1, 1))  # input, output, forget, cell; one unit, one feature
    stored: Stored = {
        "w": gates,
        "r": gates * 10,
        "b": np.tile(np.array([1, 2, 3, 4, 5, 6, 7, 8], np.float32), (2, 1)),
        "ws": np.ones(2, np.float32),
        "wz": np.zeros(2, np.int8),
        "rs": np.array([1, 2], np.float32),
        "rz": np.zeros(2, np.int8),
    }
    inputs = ["x", "w", "r", "b", "", "", "", "", "ws", "wz", "rs", "rz"]

    parameters = read(tmp_path, "DynamicQuantizeLSTM", "/encoder/predictor/lstm", inputs, stored)

    assert parameters["predictor.lstm.weight_ih_l0"].ravel().tolist() == [1, 3, 4, 2]
    assert parameters["predictor.lstm.weight_hh_l0_reverse"].ravel().tolist() == [20, 60, 80, 40]
    assert parameters["predictor.lstm.bias_ih_l0"].tolist() == [1, 3, 4, 2]
    assert parameters["predictor.lstm.bias_hh_l0_reverse"].tolist() == [5, 7, 8, 6]
    assert len(parameters) == 8


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.onnx").write_bytes(b"\xff" * 64)

    with pytest.raises(ConfigError, match="is not an ONNX file"):
        read_parameters(tmp_path / "x.onnx")


@pytest.mark.models
def test_the_real_file_gives_finite_parameters_of_all_five_parts() -> None:
    parameters = read_parameters(ModelStore().locate("kokoro"))

    assert {name.partition(".")[0] for name in parameters} >= {
        "bert", "bert_encoder", "predictor", "text_encoder", "decoder"
    }  # fmt: skip
    assert all(np.isfinite(value).all() for value in parameters.values())
