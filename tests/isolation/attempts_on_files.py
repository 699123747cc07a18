"""Attempts to reach files."""

import ctypes
import os
import struct
from typing import Any

from tests.isolation.attempt import attempt, syscall
from tests.isolation.world import SECRET, World


@attempt()
def read_a_file(world: World) -> Any:
    fd = os.open(world.secret, os.O_RDONLY)
    return os.read(fd, 100) == SECRET


@attempt()
def read_a_leaked_descriptor(world: World) -> Any:
    return os.read(world.leaked, 100) == SECRET


@attempt()
def list_a_folder(world: World) -> Any:
    return "secret" in os.listdir(world.folder)


@attempt(lambda world: world.file.read_bytes() != b"untouched")
def write_a_file(world: World) -> Any:
    return os.write(os.open(world.file, os.O_WRONLY), b"owned")


@attempt(lambda world: (world.folder / "made").exists())
def create_a_file(world: World) -> Any:
    return os.open(world.folder / "made", os.O_CREAT | os.O_WRONLY)


@attempt(lambda world: world.file.stat().st_size == 0)
def truncate_a_file(world: World) -> Any:
    os.truncate(world.file, 0)


@attempt()
def stat_a_file(world: World) -> Any:
    return os.stat(world.secret).st_size == len(SECRET)


@attempt()
def probe_access(world: World) -> Any:
    return os.access(world.secret, os.R_OK)


@attempt(lambda world: world.file.stat().st_mode & 0o777 == 0o600)
def chmod_a_file(world: World) -> Any:
    os.chmod(world.file, 0o600)


@attempt(lambda world: world.file.stat().st_mtime == 7)
def set_times(world: World) -> Any:
    os.utime(world.file, (7, 7))


@attempt()
def set_an_attribute(world: World) -> Any:
    os.setxattr(world.file, "user.escape", b"x")
    return True


@attempt(lambda world: (world.folder / "linked").exists())
def hard_link(world: World) -> Any:
    os.link(world.secret, world.folder / "linked")


@attempt(lambda world: (world.folder / "pointer").is_symlink())
def symbolic_link(world: World) -> Any:
    os.symlink(world.secret, world.folder / "pointer")


@attempt(lambda world: not world.file.exists())
def unlink_a_file(world: World) -> Any:
    os.unlink(world.file)


@attempt(lambda world: (world.folder / "moved").exists())
def rename_a_file(world: World) -> Any:
    os.rename(world.file, world.folder / "moved")


@attempt(lambda world: (world.folder / "folder").is_dir())
def make_a_folder(world: World) -> Any:
    os.mkdir(world.folder / "folder")


@attempt(lambda world: (world.folder / "fifo").is_fifo())
def make_a_fifo(world: World) -> Any:
    os.mkfifo(world.folder / "fifo")


@attempt()
def change_folder(world: World) -> Any:
    os.chdir(world.folder)
    return os.getcwd() == str(world.folder)


@attempt(root_only=True)
def change_root(world: World) -> Any:
    os.chroot(world.folder)
    return True


@attempt(root_only=True)
def open_by_handle(world: World) -> Any:
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    mount = ctypes.c_int()
    path = ctypes.c_char_p(bytes(world.secret))
    syscall("name_to_handle_at", -100, path, handle, ctypes.byref(mount), 0)
    root = os.open("/", os.O_RDONLY)
    return syscall("open_by_handle_at", root, handle, os.O_RDONLY) >= 0


@attempt(lambda world: world.file.stat().st_uid == 1, root_only=True)
def change_the_owner(world: World) -> Any:
    os.chown(world.file, 1, 1)


@attempt(lambda world: (world.folder / "device").is_char_device(), root_only=True)
def make_a_device(world: World) -> Any:
    syscall("mknodat", -100, ctypes.c_char_p(bytes(world.folder / "device")), 0o020600, 0x103)  # /dev/null


@attempt()
def look_up_a_path(world: World) -> Any:
    return os.open(world.secret, os.O_PATH) >= 0


@attempt()
def read_a_link(world: World) -> Any:
    return os.readlink(world.link) == str(world.secret)


@attempt()
def learn_about_a_file_system(world: World) -> Any:
    return syscall("statfs", ctypes.c_char_p(bytes(world.folder)), ctypes.create_string_buffer(256)) == 0


@attempt(root_only=True)
def open_a_setting_of_the_kernel(world: World) -> Any:
    return os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY) >= 0


@attempt()
def memory_file(world: World) -> Any:
    return syscall("memfd_create", ctypes.c_char_p(b"x"), 0) >= 0


@attempt()
def watch_files(world: World) -> Any:
    return syscall("inotify_init1", 0) >= 0


@attempt(root_only=True)
def watch_all_files(world: World) -> Any:
    return syscall("fanotify_init", 0, os.O_RDONLY) >= 0


@attempt()
def environment_of_the_victim(world: World) -> Any:
    fd = os.open(f"/proc/{world.victim}/environ", os.O_RDONLY)
    return len(os.read(fd, 100)) > 0
