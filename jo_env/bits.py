"""Sets as bits of one 64-bit word, and as marks: bytes that are 1 or 0."""

import numpy as np

from jo_env.cards import NUM_FACES
from jo_env.jit import jit

# A byte by its bits, one in each byte.
BYTES = np.array([sum((n >> i & 1) << 8 * i for i in range(8)) for n in range(256)], np.uint64)
_TWO_BITS = np.uint64(0x5555_5555_5555_5555)
_FOUR_BITS = np.uint64(0x3333_3333_3333_3333)
_EIGHT_BITS = np.uint64(0x0F0F_0F0F_0F0F_0F0F)


@jit
def popcount(x):
    """How many bits are set."""
    x = x - ((x >> 1) & _TWO_BITS)
    x = (x & _FOUR_BITS) + ((x >> 2) & _FOUR_BITS)
    x = (x + (x >> 4)) & _EIGHT_BITS
    return np.int64((x * np.uint64(0x0101_0101_0101_0101)) >> 56)


@jit
def mark_faces(faces, marks):
    """Write 1 into `marks` (int8[52]) for each of the faces, 52 bits, and 0 for the others."""
    for i in range(NUM_FACES // 8):
        word = BYTES[faces >> 8 * i & 0xFF]
        for j in range(8):
            marks[8 * i + j] = np.int8(word >> 8 * j)
    word = BYTES[faces >> 48]
    for j in range(4):
        marks[48 + j] = np.int8(word >> 8 * j)
