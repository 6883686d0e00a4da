"""The parameters of Kokoro's torch modules, read back out of its int8 ONNX file.

Quantised weights become float32 again. The file was exported from the torch model, so a node's scope is the path of
the module it came from, give or take how the exporter writes paths, and tensors that were not folded into a node
still carry their parameter's name.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from onnx import numpy_helper

from tts_worker.weights import load_onnx

Array = npt.NDArray[np.float32]
_Tensors = Mapping[str, npt.NDArray[np.generic]]

_QUANTISED = "_quantized"
# Equal zero points are stored once, under the first tensor's name.
_SHARED_ZERO_POINT = "encoder.bert.embeddings.word_embeddings.weight_zero_point"
_DIRECTIONS = ("", "_reverse")


def read_parameters(source: Path) -> dict[str, Array]:
    """Return the parameters by torch name ("predictor.lstm.weight_ih_l0").

    A weight-normed module has one whole NAME.weight. Raises ConfigError when the file is not an ONNX file.
    """
    graph = load_onnx(source).graph
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    parameters = {
        _parameter_name(name): tensor.astype(np.float32)
        for name, tensor in tensors.items()
        if tensor.dtype == np.float32 and name.startswith(("encoder.", "decoder.decoder."))
    }
    for node in graph.node:
        read = _READERS.get(node.op_type)
        if read is not None:
            parameters.update(read(_module_path(node.name), list(node.input), tensors))
    return parameters


def _parameter_name(name: str) -> str:
    return name.partition(".")[2]


def _module_path(node: str) -> str:
    """Return the torch path of the module a node belongs to: "/encoder/F0.0/conv1/Conv" is predictor.F0.0.conv1."""
    steps: list[str] = []
    for step in node.strip("/").split("/")[:-1]:
        # A container's name is repeated in front of its member's: "cnn.0/cnn.0.1" is one path.
        if steps and step.startswith(f"{steps[-1]}."):
            steps[-1] = step
        else:
            steps.append(step)
    # Both halves were wrapped for the export, and three of the predictor's members are called without it.
    path = ".".join(steps[1:])
    return f"predictor.{path}" if re.match(r"(F0|N|shared)(?=[._]|$)", path) and node.startswith("/encoder") else path


def _quantised_product(path: str, inputs: list[str], tensors: _Tensors) -> dict[str, Array]:
    weight = _dequantised(inputs[1], inputs[3] if len(inputs) > 3 else "", tensors)
    return {} if weight is None else {f"{path}.weight": weight.T}


def _quantised_convolution(path: str, inputs: list[str], tensors: _Tensors) -> dict[str, Array]:
    weight = _dequantised(inputs[1], inputs[3] if len(inputs) > 3 else "", tensors)
    return {} if weight is None else {f"{path}.weight": weight}


def _product(path: str, inputs: list[str], tensors: _Tensors) -> dict[str, Array]:
    return {f"{path}.weight": tensors[inputs[1]].astype(np.float32).T} if inputs[1] in tensors else {}


def _convolution(path: str, inputs: list[str], tensors: _Tensors) -> dict[str, Array]:
    return {f"{path}.weight": tensors[inputs[1]].astype(np.float32)} if inputs[1] in tensors else {}


def _embedding(path: str, inputs: list[str], tensors: _Tensors) -> dict[str, Array]:
    if not inputs[0].endswith(_QUANTISED):
        return {}
    zero_point = inputs[0].removesuffix(_QUANTISED) + "_zero_point"
    weight = _dequantised(inputs[0], zero_point if zero_point in tensors else _SHARED_ZERO_POINT, tensors)
    return {} if weight is None else {f"{path}.weight": weight}


def _lstm(path: str, inputs: list[str], tensors: _Tensors) -> dict[str, Array]:
    """DynamicQuantizeLSTM: inputs 1 and 2 are the weights, 3 the biases, 8 to 11 scales and zero points."""
    ways = {
        "ih": _dequantised_lstm(inputs[1], inputs[8:10], tensors),
        "hh": _dequantised_lstm(inputs[2], inputs[10:12], tensors),
    }
    biases = tensors[inputs[3]].astype(np.float32)
    half = biases.shape[1] // 2
    parameters: dict[str, Array] = {}
    for number, direction in enumerate(_DIRECTIONS):
        for way, weights in ways.items():
            parameters[f"{path}.weight_{way}_l0{direction}"] = _torch_gates(weights[number]).T
        parameters[f"{path}.bias_ih_l0{direction}"] = _torch_gates(biases[number, :half])
        parameters[f"{path}.bias_hh_l0{direction}"] = _torch_gates(biases[number, half:])
    return parameters


def _dequantised(name: str, zero_point: str, tensors: _Tensors) -> Array | None:
    """Return a quantised weight as float32; None when `name` is no stored tensor but computed."""
    if name not in tensors:
        return None
    base = name.removesuffix(_QUANTISED)
    # A weight used twice has a copy with a number behind its name; the scale is stored once.
    scale = tensors.get(f"{base}_scale", tensors.get(re.sub(r"_\d+$", "", base) + "_scale"))
    zero = tensors[zero_point].astype(np.float32) if zero_point in tensors else np.float32(0)
    weight: Array = (tensors[name].astype(np.float32) - zero) * np.asarray(scale, np.float32)
    return weight


def _dequantised_lstm(name: str, scale_and_zero: list[str], tensors: _Tensors) -> Array:
    scale, zero = (tensors[key].astype(np.float32).reshape(len(_DIRECTIONS), 1, -1) for key in scale_and_zero)
    weight: Array = (tensors[name].astype(np.float32) - zero) * scale
    return weight


def _torch_gates(gates: Array) -> Array:
    """Reorder the four gates along the last axis from ONNX (input, output, forget, cell) to torch (i, f, c, o)."""
    i, o, f, c = np.split(gates, 4, axis=-1)
    return np.concatenate((i, f, c, o), axis=-1)


_READERS: dict[str, Callable[[str, list[str], _Tensors], dict[str, Array]]] = {
    "MatMulInteger": _quantised_product,
    "ConvInteger": _quantised_convolution,
    "MatMul": _product,
    "Conv": _convolution,
    "ConvTranspose": _convolution,
    "Gather": _embedding,
    "DynamicQuantizeLSTM": _lstm,
}
