"""The child's side of its pipes: blocking, one frame at a time."""

import os
from collections.abc import Callable
from typing import Any, NoReturn, Protocol

from guarded_webfetch.core.limits import FRAME_CHUNK_BYTES, FRAME_CONTROL_BYTES
from guarded_webfetch.ipc import frames, strict_json

Lock = Callable[[], dict[str, Any]]  # locks this process for ever and returns what the canaries saw


class Role(Protocol):
    """What a child's folder offers as `main`: import, lock, say ready, then work on what arrives."""

    def __call__(self, channel: "Channel", lock: Lock) -> None: ...


class Channel:
    """Frames in and out of a child. `socket_fd` is the receiving end of passed sockets (fetcher only, else -1)."""

    def __init__(self, read_fd: int, write_fd: int, socket_fd: int = -1) -> None:
        self.read_fd = read_fd
        self.write_fd = write_fd
        self.socket_fd = socket_fd

    def receive(self, accepted: dict[int, int]) -> frames.Frame:
        """The next frame. EOFError when the broker has closed the pipe, FrameError for a frame not accepted."""
        kind, length = frames.check_header(self._read(frames.HEADER.size), accepted)
        return frames.Frame(kind, self._read(length))

    def receive_message(self, limit_bytes: int = FRAME_CONTROL_BYTES) -> Any:
        return strict_json.loads(self.receive({frames.MESSAGE: limit_bytes}).payload)

    def receive_bytes(self, limit_bytes: int) -> bytes:
        return self.receive({frames.BYTES: limit_bytes}).payload

    def send_ready(self, isolation: dict[str, Any]) -> None:
        self._send(frames.READY, strict_json.dumps(isolation))

    def send_message(self, value: object) -> None:
        self._send(frames.MESSAGE, strict_json.dumps(value))

    def send_bytes(self, data: bytes) -> None:
        """`data` in chunks no longer than a chunk frame may be."""
        for start in range(0, len(data), FRAME_CHUNK_BYTES):
            self._send(frames.BYTES, data[start : start + FRAME_CHUNK_BYTES])

    def fail(self, code: str) -> NoReturn:
        """Reports a reason code and ends the process without running anything else."""
        self._send(frames.FAILED, strict_json.dumps({"reason": code}))
        os._exit(0)

    def _send(self, kind: int, payload: bytes) -> None:
        view = memoryview(frames.encode(kind, payload))
        while view:
            view = view[os.write(self.write_fd, view) :]

    def _read(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size:
            part = os.read(self.read_fd, min(size, 1 << 20))
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
