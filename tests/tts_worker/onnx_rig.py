"""A graph with Kokoro's inputs and outputs and nothing of Kokoro in it: a token is two frames of a steady level."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tts_worker.trim import FRAME_SAMPLES
from tts_worker.weights import DURATIONS

LEVEL = 0.25
TOKEN_FRAMES = 2
# onnxruntime refuses graphs of a format newer than itself.
_IR_VERSION, _OPSET = 10, 20


def write_tiny_kokoro(path: Path, with_durations: bool = True) -> Path:
    """Write the graph; without durations it is somebody else's model."""
    last = DURATIONS if with_durations else "other"
    constants = {
        "samples": np.array([TOKEN_FRAMES * FRAME_SAMPLES], np.int64),
        "frames": np.array(TOKEN_FRAMES, np.float32),
        "one": np.array([1], np.int64),
        "zero": np.array(0, np.float32),
    }
    level = numpy_helper.from_array(np.array([LEVEL], np.float32))
    nodes = [
        helper.make_node("Cast", ["tokens"], ["as_float"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["as_float", "zero"], ["nought"]),
        helper.make_node("Add", ["nought", "frames"], ["steady"]),
        helper.make_node("Clip", ["steady"], [last], name="/encoder/Clip"),
        helper.make_node("Shape", ["tokens"], ["shape"]),
        helper.make_node("Gather", ["shape", "one"], ["count"]),
        helper.make_node("Mul", ["count", "samples"], ["length"]),
        helper.make_node("ConstantOfShape", ["length"], ["audio"], value=level),
    ]
    inputs = [
        helper.make_tensor_value_info("tokens", TensorProto.INT64, [1, "n"]),
        helper.make_tensor_value_info("style", TensorProto.FLOAT, [1, 256]),
        helper.make_tensor_value_info("speed", TensorProto.FLOAT, [1]),
    ]
    outputs = [helper.make_tensor_value_info("audio", TensorProto.FLOAT, ["samples"])]
    stored = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "tiny", inputs, outputs, stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)
    onnx.save(model, str(path))
    return path
