"""The policy as an ONNX graph.

It is written node by node rather than traced: it is a dozen plain layers, and so it holds no names of files
or machines, and the same policy always gives the same bytes. Every linear layer is a Gemm of rows, which
runtimes fuse with the ReLU after it; the scale of the inputs is a part of the weights that read them.
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

    def numbers(self, name: str, values: Any) -> str:
        self.weights.append(numpy_helper.from_array(np.array(values), name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def split(self, x: str, sizes: list[int], axis: int, names: list[str]) -> list[str]:
        inputs = [x, self.numbers(f"{names[0]}.sizes", sizes)]
        self.nodes.append(helper.make_node("Split", inputs, names, axis=axis))
        return names

    def reshape(self, x: str, shape: list[int], name: str) -> str:
        return self.node("Reshape", [x, self.numbers(f"{name}.shape", shape)], name)

    def linear(self, x: str, weight: Tensor, bias: Tensor | str | None, name: str) -> str:
        """Rows x, times weight[out, in], plus a bias: one for all rows, or the rows of another output."""
        inputs = [x, self.weight(f"{name}.weight", weight)]
        if bias is not None:
            inputs.append(bias if isinstance(bias, str) else self.weight(f"{name}.bias", bias))
        return self.node("Gemm", inputs, name, transB=1)

    def layer_norm(self, x: str, layer: nn.LayerNorm, name: str) -> str:
        weights = [self.weight(f"{name}.weight", layer.weight), self.weight(f"{name}.bias", layer.bias)]
        return self.node("LayerNormalization", [x, *weights], name, epsilon=layer.eps)

    def relu(self, x: str) -> str:
        return self.node("Relu", [x], f"{x}.relu")


def build_model(net: PolicyNet) -> bytes:
    """The policy as an ONNX file: int8[batch, num_features] to logits float32[batch, A], not masked."""
    graph = _Graph()
    embed, layout = net.embed, net.layout
    blocks = len(layout.face_blocks)
    counts = graph.node("Cast", [INPUT], "counts", to=onnx.TensorProto.FLOAT)
    sizes = [layout.by_rank, layout.others - layout.by_rank, layout.num_features - layout.others]
    by_suit, by_rank, others = graph.split(counts, sizes, 1, ["by_suit", "by_rank", "others"])
    suits = graph.reshape(by_suit, [-1, blocks * NUM_RANKS], "suits")
    ranks = graph.reshape(by_rank, [-1, blocks], "ranks")
    for_suit, for_rank, for_other = (
        layer.weight * scale
        for layer, scale in (
            (embed.suit, embed.suit_scale),
            (embed.rank, embed.rank_scale),
            (embed.other, embed.other_scale),
        )
    )
    suits = graph.relu(graph.linear(suits, for_suit, embed.suit.bias, "embed.suit"))
    ranks = graph.relu(graph.linear(ranks, for_rank, embed.rank.bias, "embed.rank"))
    others = graph.relu(graph.linear(others, for_other, embed.other.bias, "embed.other"))
    parts = [
        graph.reshape(suits, [-1, NUM_SUITS * embed.suit.out_features], "all_suits"),
        graph.reshape(ranks, [-1, NUM_RANKS * embed.rank.out_features], "all_ranks"),
        others,
    ]
    x = graph.linear(graph.node("Concat", parts, "table", axis=1), net.enter.weight, net.enter.bias, "enter")
    for i, block in enumerate(net.blocks):
        assert isinstance(block, ResidualBlock)
        y = graph.layer_norm(x, block.norm, f"blocks.{i}.norm")
        y = graph.relu(graph.linear(y, block.expand.weight, block.expand.bias, f"blocks.{i}.expand"))
        y = graph.linear(y, block.project.weight, block.project.bias, f"blocks.{i}.project")
        x = graph.node("Add", [x, y], f"blocks.{i}")
    x = graph.relu(graph.layer_norm(x, net.norm, "norm"))
    discards, take = _judge_cards(graph, net, counts, by_suit, suits, ranks, x)
    ends = [
        graph.numbers(f"planned.{name}", [number])
        for name, number in (("first", layout.planned), ("last", layout.num_features), ("axis", 1))
    ]
    lays = graph.node("Slice", [counts, *ends], "planned")
    lays = graph.node("Mul", [lays, graph.weight("lays.scale", net.planned)], "lays")
    # The actions are first those that draw or take, then the lays, then the discards.
    judged = graph.node("Concat", [take, lays, discards], "judged", axis=1)
    graph.node("Add", [graph.linear(x, net.policy.weight, net.policy.bias, "policy"), judged], OUTPUT)
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
    graph: _Graph, net: PolicyNet, counts: str, by_suit: str, suits: str, ranks: str, x: str
) -> tuple[str, str]:
    """What the CardHead adds to the logits: to those of the discards, and to those before the lays."""
    head, layout = net.cards, net.layout
    blocks, offer = len(layout.face_blocks), layout.offer_block
    scale = net.embed.suit_scale[::NUM_RANKS]  # of each block
    of_suit = graph.linear(suits, head.suit.weight, None, "cards.suit")
    of_rank = graph.linear(ranks, head.rank.weight, None, "cards.rank")
    of_table = graph.linear(x, head.table.weight, head.face.bias, "cards.table")
    of_rank = graph.reshape(of_rank, [-1, 1, NUM_RANKS, head.hidden], "cards.by_rank")
    of_table = graph.reshape(of_table, [-1, 1, 1, head.hidden], "cards.by_table")
    of_suit = graph.reshape(of_suit, [-1, NUM_SUITS, NUM_RANKS, head.hidden], "cards.by_suit")
    common = graph.node("Add", [of_rank, of_table], "cards.common")  # the small ones first
    common = graph.reshape(graph.node("Add", [of_suit, common], "cards.sum"), [-1, head.hidden], "cards.sums")
    faces = graph.reshape(by_suit, [-1, blocks, NUM_RANKS], "blocks")
    faces = graph.reshape(graph.node("Transpose", [faces], "turned", perm=[0, 2, 1]), [-1, blocks], "faces")
    y = graph.relu(graph.linear(faces, head.face.weight * scale, common, "cards.face"))
    y = graph.relu(graph.linear(y, head.mix.weight, head.mix.bias, "cards.mix"))
    worths = graph.linear(y, head.worth.weight, head.worth.bias, "cards.worth")
    worths = graph.reshape(worths, [-1, NUM_FACES, 2], "cards.worths")
    discards, takes = graph.split(worths, [1, 1], 2, ["cards.discards", "cards.takes"])
    places = offer * NUM_RANKS + np.arange(NUM_RANKS) + blocks * NUM_RANKS * np.arange(NUM_SUITS)[:, None]
    is_offer = graph.node(
        "Gather", [counts, graph.numbers("offer.places", places.reshape(-1, 1))], "is_offer", axis=1
    )
    take = graph.node("Mul", [takes, is_offer], "cards.offered")
    take = graph.reshape(take, [-1, NUM_FACES], "cards.offers")
    per_face = (scale[offer] * net.is_take[: layout.lays]).repeat(NUM_FACES, 1)
    take = graph.node("MatMul", [take, graph.weight("cards.is_take", per_face)], "cards.take")
    return graph.reshape(discards, [-1, NUM_FACES], "cards.discard"), take
