"""Runs a classic BPF filter as the kernel does, so that the filter of another processor can be judged here.

Source: Documentation/networking/filter.rst; only the instructions a filter of ours consists of.
"""

import struct

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


def judge(program: bytes, arch: int, number: int, *arguments: int) -> int:
    """The 32-bit answer of `program` to one system call."""
    words = [argument & 0xFFFFFFFFFFFFFFFF for argument in (*arguments, *(0,) * (6 - len(arguments)))]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, arch, 0, *words)
    code = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    accumulator, at = 0, 0
    while True:
        kind, if_true, if_false, constant = code[at]
        at += 1
        match kind:
            case 0x20:
                (accumulator,) = struct.unpack_from("<I", data, constant)
            case 0x54:
                accumulator &= constant
            case 0x15:
                at += if_true if accumulator == constant else if_false
            case 0x35:
                at += if_true if accumulator >= constant else if_false
            case 0x06:
                return constant
            case _:
                raise AssertionError(f"unknown instruction {kind:#x}")
