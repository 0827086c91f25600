"""The first layer of the network: small-integer inputs, most of them zero.

An observation has about 1,260 entries of which some 180 are not zero, so the layer that reads it costs
a seventh of a dense one on a CPU when it adds up only the rows of its weight that count. On other
devices, and in an exported graph, it is an ordinary matrix product.
"""

import numpy as np
import torch
from torch import Tensor, nn

from jo_env.jit import jit

_LANES = 8  # weight rows added up at a time, so that a sum is loaded and stored once for eight of them
_CHUNK = 256  # rows of a batch whose gradients stay in the cache together


@jit
def forward_rows(x, weight, out):
    """out[b] += x[b] @ weight for x int8[B, D], weight float32[D, H], out float32[B, H]."""
    size, width = x.shape[1], weight.shape[1]
    index = np.empty(size + _LANES, np.int64)
    value = np.zeros(size + _LANES, np.float32)
    for b in range(len(x)):
        n = 0
        for j in range(size):
            if x[b, j] != 0:
                index[n] = j
                value[n] = x[b, j]
                n += 1
        while n % _LANES:
            index[n] = 0
            value[n] = 0
            n += 1
        add_rows(out[b], weight, index, value, n, width)


@jit
def backward_rows(x, grad, grad_weight):
    """grad_weight += x.T @ grad for x int8[B, D], grad float32[B, H], grad_weight float32[D, H]."""
    size, width = x.shape[1], grad.shape[1]
    rows = np.empty((size, _CHUNK + _LANES), np.int64)
    values = np.empty((size, _CHUNK + _LANES), np.float32)
    counts = np.zeros(size, np.int64)
    for start in range(0, len(x), _CHUNK):
        counts[:] = 0
        for b in range(start, min(start + _CHUNK, len(x))):
            for j in range(size):
                if x[b, j] != 0:
                    rows[j, counts[j]] = b
                    values[j, counts[j]] = x[b, j]
                    counts[j] += 1
        for j in range(size):
            n = counts[j]
            while n % _LANES:
                rows[j, n] = start
                values[j, n] = 0
                n += 1
            add_rows(grad_weight[j], grad, rows[j], values[j], n, width)


@jit
def add_rows(out, rows, index, value, n, width):
    """out += the sum of value[k] * rows[index[k]] over k < n, a multiple of eight."""
    for k in range(0, n, _LANES):
        r0, r1, r2, r3 = rows[index[k]], rows[index[k + 1]], rows[index[k + 2]], rows[index[k + 3]]
        r4, r5, r6, r7 = rows[index[k + 4]], rows[index[k + 5]], rows[index[k + 6]], rows[index[k + 7]]
        v0, v1, v2, v3 = value[k], value[k + 1], value[k + 2], value[k + 3]
        v4, v5, v6, v7 = value[k + 4], value[k + 5], value[k + 6], value[k + 7]
        for c in range(width):
            low = v0 * r0[c] + v1 * r1[c] + v2 * r2[c] + v3 * r3[c]
            high = v4 * r4[c] + v5 * r5[c] + v6 * r6[c] + v7 * r7[c]
            out[c] += low + high


class _SparseProduct(torch.autograd.Function):
    """x @ weight for an int8 x that needs no gradient."""

    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor) -> Tensor:  # type: ignore[override]
        ctx.save_for_backward(x)
        ctx.size = weight.shape
        out = torch.zeros(len(x), weight.shape[1])
        forward_rows(x.numpy(), weight.detach().numpy(), out.numpy())
        return out

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[None, Tensor]:  # type: ignore[override]
        (x,) = ctx.saved_tensors
        grad_weight = torch.zeros(ctx.size)
        backward_rows(x.numpy(), grad.contiguous().numpy(), grad_weight.numpy())
        return None, grad_weight


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
        if x.device.type == "cpu" and x.dtype == torch.int8 and not torch.onnx.is_in_onnx_export():
            return _SparseProduct.apply(x.contiguous(), weight) + self.bias
        return x.to(weight.dtype) @ weight + self.bias
