"""The policy as an ONNX graph.

It is written node by node rather than traced: it is a dozen plain layers, and so it holds no names of files
or machines, and the same policy always gives the same bytes.
"""

from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from torch import Tensor, nn

from agents.bundle import INPUT, OUTPUT
from agents.policy import PolicyNet, ResidualBlock
from jo_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS

OPSET, IR_VERSION = 17, 8  # the first with LayerNormalization; read by every onnxruntime since 1.12


class _Graph:
    """An ONNX graph under construction; every method appends a layer and returns its output's name."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def weight(self, name: str, value: Tensor) -> str:
        self.weights.append(numpy_helper.from_array(value.detach().cpu().float().numpy(), name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, name: str, array: np.ndarray) -> str:
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def part(self, x: str, first: int, last: int, rows: list[int], scale: Tensor, name: str) -> str:
        """Columns of x by number, as floats times `scale`, in the shape [batch, *rows, the rest]."""
        ends = [
            self.constant(f"{name}.{end}", np.array([place]))
            for end, place in (("first", first), ("last", last))
        ]
        ends.append(self.constant(f"{name}.axis", np.array([1])))
        x = self.node("Slice", [x, *ends], f"{name}.part")
        x = self.node("Cast", [x], f"{name}.counts", to=onnx.TensorProto.FLOAT)
        if rows:
            x = self.reshape(x, [0, *rows, -1], f"{name}.rows")
        return self.node("Mul", [x, self.weight(f"{name}.scale", scale)], f"{name}.scaled")

    def map(self, x: str, layer: nn.Linear, name: str) -> str:
        """A linear map of the last axis."""
        weight = self.weight(f"{name}.weight", layer.weight.T)
        if layer.bias is None:
            return self.node("MatMul", [x, weight], name)
        product = self.node("MatMul", [x, weight], f"{name}.product")
        return self.node("Add", [product, self.weight(f"{name}.bias", layer.bias)], name)

    def reshape(self, x: str, shape: list[int], name: str) -> str:
        """0 in `shape` keeps an axis as it is."""
        return self.node("Reshape", [x, self.constant(f"{name}.shape", np.array(shape))], name)

    def flat(self, x: str) -> str:
        return self.node("Flatten", [x], f"{x}.flat")

    def linear(self, x: str, layer: nn.Linear, name: str) -> str:
        weights = [self.weight(f"{name}.weight", layer.weight), self.weight(f"{name}.bias", layer.bias)]
        return self.node("Gemm", [x, *weights], name, transB=1)

    def layer_norm(self, x: str, layer: nn.LayerNorm, name: str) -> str:
        weights = [self.weight(f"{name}.weight", layer.weight), self.weight(f"{name}.bias", layer.bias)]
        return self.node("LayerNormalization", [x, *weights], name, epsilon=layer.eps)

    def relu(self, x: str) -> str:
        return self.node("Relu", [x], f"{x}.relu")


def build_model(net: PolicyNet) -> bytes:
    """The policy as an ONNX file: int8[batch, num_features] to logits float32[batch, A], not masked."""
    graph = _Graph()
    embed, layout = net.embed, net.layout
    suits = graph.part(INPUT, 0, layout.by_rank, [NUM_SUITS], embed.suit_scale, "suits")
    ranks = graph.part(INPUT, layout.by_rank, layout.others, [NUM_RANKS], embed.rank_scale, "ranks")
    others = graph.part(INPUT, layout.others, layout.num_features, [], embed.other_scale, "others")
    faces = graph.reshape(suits, [0, NUM_SUITS, len(layout.face_blocks), NUM_RANKS], "blocks")
    faces = graph.node("Transpose", [faces], "faces", perm=[0, 1, 3, 2])
    suits = graph.relu(graph.map(suits, embed.suit, "embed.suit"))
    ranks = graph.relu(graph.map(ranks, embed.rank, "embed.rank"))
    others = graph.relu(graph.linear(others, embed.other, "embed.other"))
    table = graph.node("Concat", [graph.flat(suits), graph.flat(ranks), others], "table", axis=1)
    x = graph.linear(table, net.enter, "enter")
    for i, block in enumerate(net.blocks):
        assert isinstance(block, ResidualBlock)
        y = graph.layer_norm(x, block.norm, f"blocks.{i}.norm")
        y = graph.relu(graph.linear(y, block.expand, f"blocks.{i}.expand"))
        y = graph.linear(y, block.project, f"blocks.{i}.project")
        x = graph.node("Add", [x, y], f"blocks.{i}")
    x = graph.relu(graph.layer_norm(x, net.norm, "norm"))
    discards, take = _judge_cards(graph, net, faces, suits, ranks, x)
    logits = graph.node("Add", [graph.linear(x, net.policy, "policy"), take], "with_take")
    logits = graph.node("Add", [logits, discards], "with_discards")
    lays = graph.part(INPUT, layout.planned, layout.num_features, [], net.planned, "lays")
    lays = _place(graph, net, lays, layout.lays, layout.num_features - layout.planned, "lays")
    graph.node("Add", [logits, lays], OUTPUT)
    float32, int8 = onnx.TensorProto.FLOAT, onnx.TensorProto.INT8
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "policy",
            [helper.make_tensor_value_info(INPUT, int8, ["batch", layout.num_features])],
            [helper.make_tensor_value_info(OUTPUT, float32, ["batch", layout.num_actions])],
            graph.weights,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def _judge_cards(
    graph: _Graph, net: PolicyNet, faces: str, suits: str, ranks: str, x: str
) -> tuple[str, str]:
    """What the CardHead adds to the logits: to those of the discards, and to those of the takes."""
    head = net.cards
    by_suit = graph.map(suits, head.suit, "cards.suit")
    by_suit = graph.reshape(by_suit, [0, NUM_SUITS, NUM_RANKS, head.hidden], "cards.by_suit")
    by_rank = graph.reshape(
        graph.map(ranks, head.rank, "cards.rank"), [0, 1, NUM_RANKS, head.hidden], "cards.by_rank"
    )
    by_table = graph.reshape(
        graph.map(x, head.table, "cards.table"), [0, 1, 1, head.hidden], "cards.by_table"
    )
    y = graph.map(faces, head.face, "cards.face")
    for i, part in enumerate((by_suit, by_rank, by_table)):
        y = graph.node("Add", [y, part], f"cards.sum.{i}")
    y = graph.relu(graph.map(graph.relu(y), head.mix, "cards.mix"))
    worths = graph.reshape(graph.map(y, head.worth, "cards.worth"), [0, NUM_FACES, 2], "cards.worths")
    discards = graph.node(
        "Gather", [worths, graph.constant("cards.first", np.array(0))], "cards.discards", axis=2
    )
    takes = graph.node("Gather", [worths, graph.constant("cards.second", np.array(1))], "cards.takes", axis=2)
    is_offer = graph.node(
        "Gather",
        [faces, graph.constant("cards.offer", np.array(net.layout.offer_block))],
        "cards.is_offer",
        axis=3,
    )
    take = graph.node("Mul", [takes, graph.flat(is_offer)], "cards.offered_takes")
    take = graph.node(
        "ReduceSum", [take, graph.constant("cards.sum_axis", np.array([1]))], "cards.take", keepdims=1
    )
    take = graph.node("Mul", [take, graph.weight("cards.is_take", net.is_take)], "cards.take_logits")
    return _place(graph, net, discards, net.layout.discards, NUM_FACES, "cards"), take


def _place(graph: _Graph, net: PolicyNet, x: str, first: int, size: int, name: str) -> str:
    """What PolicyNet._placed does: `size` columns for the actions from `first` on, 0 for all others."""
    ends = np.array([0, first, 0, net.layout.num_actions - first - size])
    return graph.node("Pad", [x, graph.constant(f"{name}.places", ends)], f"{name}.placed")
