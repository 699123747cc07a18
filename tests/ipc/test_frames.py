"""Frames: the length is judged before a byte of the payload is read."""

import os

import pytest

from guarded_webfetch.core.limits import FRAME_CHUNK_BYTES
from guarded_webfetch.ipc import frames
from guarded_webfetch.ipc.channel import Channel


def test_header_limits() -> None:
    accepted = {frames.MESSAGE: 100}
    assert frames.check_header(frames.HEADER.pack(frames.MESSAGE, 100), accepted) == (frames.MESSAGE, 100)
    for kind, length in ((frames.MESSAGE, 101), (frames.BYTES, 1), (0, 0), (frames.MESSAGE, 2**32 - 1)):
        with pytest.raises(frames.FrameError):
            frames.check_header(frames.HEADER.pack(kind, length), accepted)


def test_channel_round_trip_in_chunks() -> None:
    read_fd, write_fd = os.pipe()
    body = bytes(range(256)) * 250  # fits a pipe, one chunk and a bit
    sender, receiver = Channel(-1, write_fd), Channel(read_fd, -1)
    sender.send_message({"ü": [1, "🦊"]})
    sender.send_bytes(body[:1000])
    assert receiver.receive_message() == {"ü": [1, "🦊"]}
    assert receiver.receive_bytes(FRAME_CHUNK_BYTES) == body[:1000]
    os.close(write_fd)
    with pytest.raises(EOFError):
        receiver.receive_message()
    os.close(read_fd)
