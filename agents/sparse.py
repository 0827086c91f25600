"""The first layer of the network: small-integer inputs, most of them zero.

An observation has about 1,260 entries of which some 180 are not zero, so on a CPU it is quicker to add
up only the rows of the weight that count. On other devices, and in an exported graph, the layer is an
ordinary matrix product.
"""

import numpy as np
import torch
from torch import Tensor, nn

from jo_env.jit import jit

_LANES = 8  # weight rows added up at a time, so that a sum is loaded and stored once for eight of them
_BLOCK = 128  # columns at a time: that much of the weight stays in a core's own cache
_CHUNK = 256  # batch rows at a time


@jit
def forward_rows(x, blocks, out):
    """out = x @ weight for x int8[B, D], out float32[B, H]; blocks float32[H / 128, D, 128] is the weight."""
    size = x.shape[1]
    index = np.empty((_CHUNK, size + _LANES), np.int32)
    value = np.empty((_CHUNK, size + _LANES), np.float32)
    counts = np.empty(_CHUNK, np.int64)
    for start in range(0, len(x), _CHUNK):
        end = min(start + _CHUNK, len(x))
        for b in range(start, end):
            n = 0
            for j in range(size):  # without a branch: which entries count is hard to predict
                index[b - start, n] = j
                value[b - start, n] = x[b, j]
                n += x[b, j] != 0
            counts[b - start] = pad(index[b - start], value[b - start], n, 0)
        for k in range(len(blocks)):
            for b in range(start, end):
                row = out[b, _BLOCK * k : _BLOCK * (k + 1)]
                row[:] = 0
                add_rows(row, blocks[k], index[b - start], value[b - start], counts[b - start])


@jit
def backward_rows(x, grads, grad_blocks):
    """The gradient of the weight's blocks from that of the product, grads float32[H / 128, B, 128]."""
    size = x.shape[1]
    rows = np.empty((size, _CHUNK + _LANES), np.int32)
    values = np.empty((size, _CHUNK + _LANES), np.float32)
    counts = np.empty(size, np.int64)
    for start in range(0, len(x), _CHUNK):
        counts[:] = 0
        for b in range(start, min(start + _CHUNK, len(x))):
            for j in range(size):
                n = counts[j]
                rows[j, n] = b
                values[j, n] = x[b, j]
                counts[j] = n + (x[b, j] != 0)
        for j in range(size):
            counts[j] = pad(rows[j], values[j], counts[j], start)
        for k in range(len(grads)):
            for j in range(size):
                add_rows(grad_blocks[k, j], grads[k], rows[j], values[j], counts[j])


@jit
def pad(index, value, n, harmless):
    """Fill a list up to a multiple of eight with zeros times a row that is there."""
    while n % _LANES:
        index[n] = harmless
        value[n] = 0
        n += 1
    return n


@jit
def add_rows(out, rows, index, value, n):
    """out += the sum of value[k] * rows[index[k]] over k < n, a multiple of eight; rows of 128 columns."""
    for k in range(0, n, _LANES):
        r0, r1, r2, r3 = rows[index[k]], rows[index[k + 1]], rows[index[k + 2]], rows[index[k + 3]]
        r4, r5, r6, r7 = rows[index[k + 4]], rows[index[k + 5]], rows[index[k + 6]], rows[index[k + 7]]
        v0, v1, v2, v3 = value[k], value[k + 1], value[k + 2], value[k + 3]
        v4, v5, v6, v7 = value[k + 4], value[k + 5], value[k + 6], value[k + 7]
        for c in range(_BLOCK):
            low = v0 * r0[c] + v1 * r1[c] + v2 * r2[c] + v3 * r3[c]
            high = v4 * r4[c] + v5 * r5[c] + v6 * r6[c] + v7 * r7[c]
            out[c] += low + high


def to_blocks(matrix: Tensor) -> Tensor:
    """float32[R, H] as its column blocks float32[H / 128, R, 128]."""
    return matrix.view(len(matrix), -1, _BLOCK).transpose(0, 1).contiguous()


class _SparseProduct(torch.autograd.Function):
    """x @ weight for an int8 x that needs no gradient."""

    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor) -> Tensor:  # type: ignore[override]
        ctx.save_for_backward(x)
        out = torch.empty(len(x), weight.shape[1])
        forward_rows(x.numpy(), to_blocks(weight.detach()).numpy(), out.numpy())
        return out

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[None, Tensor]:  # type: ignore[override]
        (x,) = ctx.saved_tensors
        grad_blocks = torch.zeros(grad.shape[1] // _BLOCK, x.shape[1], _BLOCK)
        backward_rows(x.numpy(), to_blocks(grad).numpy(), grad_blocks.numpy())
        return None, grad_blocks.transpose(0, 1).reshape(x.shape[1], -1)


class IntegerLinear(nn.Module):
    """A linear layer for observations int8[B, in_features], each feature scaled by a fixed factor."""

    scale: Tensor

    def __init__(self, in_features: int, out_features: int, scale: np.ndarray | None = None) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        self.bias = nn.Parameter(torch.zeros(out_features))
        # About 180 inputs near one are added up in an observation.
        nn.init.normal_(self.weight, std=(2 / 180) ** 0.5)
        factors = np.ones(in_features) if scale is None else scale
        self.register_buffer("scale", torch.as_tensor(factors, dtype=torch.float32)[:, None])

    def forward(self, x: Tensor) -> Tensor:
        weight = self.weight * self.scale
        if x.device.type == "cpu" and weight.shape[1] % _BLOCK == 0:
            return _SparseProduct.apply(x.contiguous(), weight) + self.bias
        return x.to(weight.dtype) @ weight + self.bias
