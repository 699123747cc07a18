"""Runs a command inside the sealed internet and tells every TCP connection it tried, on any address and port.

    python -I -S watch.py COMMAND …     prints {returncode, stdout, stderr, seconds, tried: [[address, port], …]}

The sites' own log knows accepted connections only. This one reads the first packet of each (SYN) off the loopback device,
so that an attempt counts even where nobody listens or answers. Name servers (port 53 on 127.0.0.1) are left out.
"""

import json
import os
import select
import socket
import struct
import subprocess
import sys
import tempfile
import time
from typing import Final

ETH_P_ALL: Final = 3
PACKET_OUTGOING: Final = 4  # packet(7): every packet on a loopback device is seen twice, going out and coming in
SYN, ACK = 0x02, 0x10
TCP: Final = 6
NAME_SERVER: Final = ("127.0.0.1", 53)
SNAP_BYTES: Final = 128


def first_packet(packet: bytes) -> tuple[str, int, int] | None:
    """(address, port, source port) when this IP packet asks for a TCP connection."""
    version = packet[0] >> 4 if packet else 0
    if version == 4 and packet[9] == TCP:
        address, tcp = socket.inet_ntop(socket.AF_INET, packet[16:20]), packet[(packet[0] & 15) * 4 :]
    elif version == 6 and packet[6] == TCP:
        address, tcp = socket.inet_ntop(socket.AF_INET6, packet[24:40]), packet[40:]
    else:
        return None
    source, port = struct.unpack_from(">HH", tcp)
    return (address, port, source) if tcp[13] & (SYN | ACK) == SYN else None


def drain(watch: socket.socket, tried: dict[tuple[str, int, int], None]) -> None:
    """Takes in what has been seen so far; a SYN that is sent again counts once."""
    while True:
        try:
            packet, where = watch.recvfrom(SNAP_BYTES)
        except BlockingIOError:
            return
        found = first_packet(packet) if where[2] == PACKET_OUTGOING else None
        if found and found[:2] != NAME_SERVER:
            tried.setdefault(found)


def run(command: list[str]) -> dict[str, object]:
    tried: dict[tuple[str, int, int], None] = {}
    with (
        socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL)) as watch,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        watch.bind(("lo", ETH_P_ALL))
        watch.setblocking(False)
        started = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        ended = os.pidfd_open(process.pid)
        while not select.select([ended], [], [], 0)[0]:
            select.select([watch, ended], [], [])
            drain(watch, tried)
        seconds = time.monotonic() - started
        os.close(ended)
        drain(watch, tried)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
        return {
            "returncode": process.wait(), "stdout": texts[0], "stderr": texts[1], "seconds": seconds,
            "tried": [[address, port] for address, port, _ in tried],
        }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1:])))
