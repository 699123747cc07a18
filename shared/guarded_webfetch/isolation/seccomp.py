"""A role's lists as a seccomp filter: classic BPF, checked by the kernel before every system call.

Sources: linux/seccomp.h, linux/filter.h; Documentation/userspace-api/seccomp_filter.rst ("check the arch value").
"""

import ctypes
import errno
import struct
from collections.abc import Iterable
from typing import Final

from guarded_webfetch.isolation import kernel
from guarded_webfetch.isolation.allow_lists import Allow, Calls, Condition
from guarded_webfetch.isolation.syscalls import Machine

_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06  # BPF_LD|W|ABS, BPF_ALU|AND|K, BPF_RET|K
_JUMP_EQUAL, _JUMP_AT_LEAST = 0x15, 0x35  # BPF_JMP|JEQ|K, BPF_JMP|JGE|K
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16  # struct seccomp_data
_ALLOW: Final = 0x7FFF0000
_KILL: Final = 0x80000000  # the whole process; kernels before 4.14 end the thread, the only one there is
_ERRNO: Final = 0x00050000
_WORD: Final = 0xFFFFFFFF

_PR_SET_SECCOMP: Final = 22
_SECCOMP_SET_MODE_FILTER: Final = 1
_MODE_FILTER: Final = 2

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant


class _Program(ctypes.Structure):
    """struct sock_fprog"""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def build(calls: Calls, machine: Machine) -> bytes:
    """The filter as the kernel takes it: little-endian, 8 bytes an instruction."""
    code: list[Instruction] = [
        (_LOAD, 0, 0, _ARCH_AT),
        (_JUMP_EQUAL, 1, 0, machine.audit_arch),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    if machine.foreign_from is not None:
        code += [(_JUMP_AT_LEAST, 0, 1, machine.foreign_from), (_RETURN, 0, 0, _KILL)]
    for name, alternatives in _by_name(calls.allowed).items():
        if name in machine.numbers:
            code += _for_call(machine.numbers[name], _any_of(alternatives))
    for name in calls.killed:
        code += _for_call(machine.numbers[name], [(_RETURN, 0, 0, _KILL)])
    # glibc starts a thread with clone3 and falls back to clone, which is denied, only when it is told ENOSYS
    code += _for_call(machine.numbers["clone3"], [(_RETURN, 0, 0, _ERRNO | errno.ENOSYS)])
    code.append((_RETURN, 0, 0, _ERRNO | errno.EPERM))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def install(program: bytes) -> None:
    """Puts `program` before every further call of this thread, for ever. OSError when the kernel takes no filter."""
    held = _Program(len(program) // 8, program)
    try:
        kernel.call("seccomp", _SECCOMP_SET_MODE_FILTER, 0, ctypes.addressof(held))
    except OSError:  # an outer filter may know only the older way in
        kernel.call("prctl", _PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(held))


def _by_name(allowed: Iterable[Allow]) -> dict[str, list[Allow]]:
    groups: dict[str, list[Allow]] = {}
    for allow in allowed:
        groups.setdefault(allow.name, []).append(allow)
    return groups


def _for_call(number: int, body: list[Instruction]) -> list[Instruction]:
    """`body`, which returns, for the call `number`; any other call goes on behind it."""
    return [(_JUMP_EQUAL, 0, len(body), number), *body]


def _any_of(alternatives: list[Allow]) -> list[Instruction]:
    code: list[Instruction] = []
    for allow in alternatives:
        code += _all_of(allow.conditions)
    if all(allow.conditions for allow in alternatives):
        code.append((_RETURN, 0, 0, _ERRNO | errno.EPERM))
    return code


def _all_of(conditions: tuple[Condition, ...]) -> list[Instruction]:
    """Returns "allow" when every condition holds, else goes on behind itself."""
    code: list[Instruction] = [(_RETURN, 0, 0, _ALLOW)]
    for condition in reversed(conditions):
        code = _test(condition, len(code)) + code
    return code


def _test(condition: Condition, skip: int) -> list[Instruction]:
    """Goes on when the condition holds, else `skip` instructions further."""
    low_word = _ARGUMENTS_AT + 8 * condition.argument  # both architectures are little-endian
    code: list[Instruction] = [(_LOAD, 0, 0, low_word)]
    if condition.mask != _WORD:
        code.append((_AND, 0, 0, condition.mask))
    behind = len(condition.values) - 1
    for index, value in enumerate(condition.values):
        code.append((_JUMP_EQUAL, behind - index, 0 if index < behind else skip, value))
    return code
