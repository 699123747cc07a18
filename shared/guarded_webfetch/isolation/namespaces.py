"""Level `max`: a user, process, network, mount, IPC and host name namespace of the child's own, its root an empty folder.

Two steps, since only a new process can be in a new process namespace: `fork` makes the child there, `leave` takes the rest away
once the child has imported. No user id is mapped: to its own namespace the child is nobody.
Sources: namespaces(7), user_namespaces(7), pid_namespaces(7); pivot_root(2), section `pivot_root(".", ".")`.
"""

import ctypes
import os
from typing import Final

from guarded_webfetch.isolation import kernel

# linux/sched.h
_NEW_MOUNT, _NEW_HOST_NAME, _NEW_IPC = 0x00020000, 0x04000000, 0x08000000
_NEW_USER, _NEW_PROCESS, _NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
_READ_ONLY_AND_NOTHING_SPECIAL: Final = 1 | 2 | 4 | 8  # MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC
_DETACH: Final = 2  # MNT_DETACH

_FILE_SYSTEM: Final = ctypes.create_string_buffer(b"tmpfs")
_OVER: Final = ctypes.create_string_buffer(b"/proc")  # a folder every system has
_EMPTY: Final = ctypes.create_string_buffer(b"size=4k,nr_inodes=1,mode=555")
_HERE: Final = ctypes.create_string_buffer(b".")


def fork() -> int:
    """os.fork, the child being process 1 of its own process namespace; an ordinary fork where the kernel refuses that.

    The broker stays its parent: nothing stands between them that would have to be killed, reaped or trusted.
    """
    try:
        pid = kernel.clone(_NEW_USER | _NEW_PROCESS)
    except OSError:  # the canaries will tell
        return os.fork()
    if pid == 0:
        kernel.exit_on_abort()
    return pid


def leave() -> None:
    """Gives up networks, files, IPC objects and the host name of the system. OSError when the kernel refuses."""
    kernel.call("unshare", _NEW_NETWORK | _NEW_MOUNT | _NEW_IPC | _NEW_HOST_NAME)
    kernel.call("sethostname", ctypes.addressof(_HERE), 0)
    kernel.call("mount", *map(ctypes.addressof, (_FILE_SYSTEM, _OVER, _FILE_SYSTEM)), _READ_ONLY_AND_NOTHING_SPECIAL,
                ctypes.addressof(_EMPTY))  # fmt: skip
    os.chdir("/proc")
    kernel.call("pivot_root", ctypes.addressof(_HERE), ctypes.addressof(_HERE))
    kernel.call("umount2", ctypes.addressof(_HERE), _DETACH)  # the old root, which now lies over the new one
    os.chdir("/")
