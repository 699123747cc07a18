"""Attempts to reach the network through new or passed sockets."""

import ctypes
import fcntl
import os
import select
import signal
import socket
import struct
from typing import Any

from tests.isolation.attempt import attempt
from tests.isolation.world import World, disconnect

MSG_FASTOPEN = 0x20000000
SO_ATTACH_FILTER = 26
AF_ALG = 38
AF_VSOCK = 40
AF_NETLINK = 16
AF_PACKET = 17
IPPROTO_MPTCP = 262


def accepted(listener: socket.socket) -> bool:
    """Whether a connection or datagram waits there: on one machine it does before the call that sent it returns."""
    return bool(select.select([listener], [], [], 0.01)[0])


@attempt(lambda world: accepted(world.other_tcp))
def connect_over_tcp(world: World) -> Any:
    socket.socket().connect(world.addresses["other_tcp"])


@attempt(lambda world: accepted(world.other_tcp))
def connect_over_multipath_tcp(world: World) -> Any:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP).connect(world.addresses["other_tcp"])


@attempt(lambda world: accepted(world.udp))
def send_a_datagram(world: World) -> Any:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", world.addresses["udp"])


@attempt()
def listen_for_connections(world: World) -> Any:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return True


@attempt(lambda world: accepted(world.unix))
def connect_to_a_unix_socket(world: World) -> Any:
    socket.socket(socket.AF_UNIX).connect(world.addresses["unix"])


@attempt(lambda world: accepted(world.abstract))
def connect_to_an_abstract_socket(world: World) -> Any:
    socket.socket(socket.AF_UNIX).connect(world.addresses["abstract"])


@attempt()
def make_a_socket_pair(world: World) -> Any:
    return bool(socket.socketpair())


@attempt()
def netlink_socket(world: World) -> Any:
    return bool(socket.socket(AF_NETLINK, socket.SOCK_RAW, 0))


@attempt()
def vsock_socket(world: World) -> Any:
    return bool(socket.socket(AF_VSOCK, socket.SOCK_STREAM))


@attempt()
def crypto_socket(world: World) -> Any:
    return bool(socket.socket(AF_ALG, socket.SOCK_SEQPACKET))


@attempt(root_only=True)
def raw_socket(world: World) -> Any:
    return bool(socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))


@attempt(root_only=True)
def packet_socket(world: World) -> Any:
    return bool(socket.socket(AF_PACKET, socket.SOCK_RAW))


@attempt(lambda world: accepted(world.other_tcp))
def fast_open_on_a_half_open_socket(world: World) -> Any:
    """`sendto` with MSG_FASTOPEN connects a socket whose connection has ended, to anywhere."""
    world.half_open.sendto(b"x", MSG_FASTOPEN, world.addresses["other_tcp"])


@attempt(lambda world: accepted(world.other_tcp))
def fast_open_by_sendmsg(world: World) -> Any:
    world.half_open.sendmsg([b"x"], [], MSG_FASTOPEN, world.addresses["other_tcp"])


@attempt(lambda world: accepted(world.other_tcp))
def shut_down_then_fast_open(world: World) -> Any:
    """`shutdown` takes a connection back that is under way."""
    world.connecting.shutdown(socket.SHUT_RDWR)
    world.connecting.sendto(b"x", MSG_FASTOPEN, world.addresses["other_tcp"])


@attempt(lambda world: accepted(world.other_tcp))
def connect_a_half_open_socket_elsewhere(world: World) -> Any:
    world.half_open.connect(world.addresses["other_tcp"])


@attempt(lambda world: accepted(world.other_tcp))
def disconnect_and_connect_elsewhere(world: World) -> Any:
    disconnect(world.passed)
    world.passed.connect(world.addresses["other_tcp"])


@attempt(lambda world: accepted(world.unix_datagrams))
def send_to_a_path_on_a_datagram_pair(world: World) -> Any:
    world.datagram_pair[0].sendto(b"x", str(world.folder / "datagrams"))


@attempt(lambda world: accepted(world.unix_datagrams))
def sendmsg_to_a_path_on_a_datagram_pair(world: World) -> Any:
    world.datagram_pair[0].sendmsg([b"x"], [], 0, str(world.folder / "datagrams"))


@attempt(lambda world: world.victim_killed())
def signal_through_a_socket_owner(world: World) -> Any:
    """F_SETOWN names the victim, F_SETSIG the signal, O_ASYNC arms it, a byte sets it off."""
    near, far = world.stream_pair
    fcntl.fcntl(near, fcntl.F_SETOWN, world.victim)
    fcntl.fcntl(near, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(near, fcntl.F_SETFL, os.O_ASYNC)
    os.write(far.fileno(), b"x")


@attempt()
def set_ip_options(world: World) -> Any:
    world.passed.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, b"\x01\x01\x01\x00")
    return True


@attempt()
def attach_a_filter_program(world: World) -> Any:
    accept_all = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0xFFFFFFFF))
    world.passed.setsockopt(
        socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HxxxxxxP", 1, ctypes.addressof(accept_all))
    )
    return True


@attempt()
def pass_a_descriptor_on(world: World) -> Any:
    near, far = world.stream_pair
    return socket.send_fds(near, [b"x"], [far.fileno()]) == 1


@attempt(lambda world: accepted(world.other_tcp))
def name_another_host_on_a_live_connection(world: World) -> Any:
    """The address of a connected TCP socket is not looked at: the peer stays the one that was judged."""
    world.passed.sendto(b"x", world.addresses["other_tcp"])
