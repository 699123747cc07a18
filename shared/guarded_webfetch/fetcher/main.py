"""The fetcher's life: set-up, lock, one passed socket, one order, one answer."""

import socket
from typing import cast

from guarded_webfetch.core.limits import FRAME_HEAD_BYTES
from guarded_webfetch.core.messages import FetcherSetup, FetchOrder
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.ipc.channel import Channel, Lock


def main(channel: Channel, lock: Lock) -> None:
    """FetcherSetup -> ready -> socket -> FetchOrder -> FetchStatus, FetchHead -> {"go": true} -> bytes -> FetchEnd."""
    setup = cast(FetcherSetup, channel.receive_message())
    from guarded_webfetch.fetcher import http_library, trust_store

    http_library.load()
    from guarded_webfetch.fetcher import exchange

    try:
        context = trust_store.client_context(setup["ca_bundle"]) if setup["scheme"] == "https" else None
    except Refusal as refusal:
        channel.fail(refusal.code)
    hand_over = socket.socket(fileno=channel.socket_fd)
    channel.send_ready(lock())
    fd = _passed_socket(hand_over)
    order = cast(FetchOrder, channel.receive_message(FRAME_HEAD_BYTES))  # cookies may make it long
    exchange.run(channel, setup, context, fd, order)


def _passed_socket(hand_over: socket.socket) -> int:
    """The one descriptor the broker passes (SCM_RIGHTS), no second one; EOFError when it closed its end instead."""
    with hand_over:
        _, descriptors, _, _ = socket.recv_fds(hand_over, 1, 1)
    if not descriptors:
        raise EOFError
    return descriptors[0]
