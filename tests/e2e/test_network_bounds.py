"""Time and memory of a fetch, measured inside the broker: every stall ends at the limit, no bomb costs more than a page."""

import json
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.internet.addresses import DARK, DARK6
from tests.internet.client import SealedInternet
from tests.internet.dns import fixed
from tests.internet.replies import Repeat, Reply, Site

pytestmark = pytest.mark.sealed
HOST = "bounds.harbour-times.net"
BLACK_HOLES = "black-holes.harbour-times.net"
HTML = (("Content-Type", "text/html; charset=utf-8"),)
LIMIT_S = 2.0
LATE_S = 0.75  # the goal is 0.25 s, on a machine that does nothing else
BOMB_KB = 32_000
MEGABYTE = 1_000_000


def compressed(piece: bytes, megabytes: int, wbits: int = 31) -> bytes:
    pack = zlib.compressobj(9, wbits=wbits)
    block = piece * (MEGABYTE // len(piece))
    return b"".join(pack.compress(block) for _ in range(megabytes)) + pack.flush()


def coded(coding: str, body: bytes, kind: str = "text/plain") -> Reply:
    return Reply(headers=(("Content-Encoding", coding), ("Content-Type", kind)), body=body)


@pytest.fixture(scope="module")
def net(sealed_internet: SealedInternet) -> SealedInternet:
    words = compressed(b"the lock was shut ", 400)
    routes = {
        "/slow-hints": Reply(
            raw=Repeat(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"), pause_s=0.4
        ),
        "/gzip": coded("gzip", words),
        "/deflate": coded("deflate", compressed(b"the lock was shut ", 400, 15)),
        "/double-gzip": coded("gzip, gzip", compressed(words[:1_000], 1)),
        "/br": coded("br", b"\x5b\xff\xff\x57" + bytes(313)),
        "/zstd": coded("zstd", b"\x28\xb5\x2f\xfd" + bytes(12_800)),
        "/page": Reply(headers=HTML, body=b"<p>The lock was shut.</p>" * 2_000),
        "/error-gzip": Reply(404, (("Content-Encoding", "gzip"), *HTML), words),
    }
    sealed_internet.add_site(Site(HOST, "stalls and bombs", dict(routes)))
    sealed_internet.set_name(BLACK_HOLES, fixed(DARK, DARK6))
    return sealed_internet


def measured(net: SealedInternet, folder: Path, url: str, timeout_s: float) -> dict[str, Any]:
    probe = str(Path(__file__).with_name("probe.py"))
    shared = str(REPOSITORY / "shared")
    command = [sys.executable, "-I", probe, shared, "--timeout", str(timeout_s), "--", url]
    result = net.run(command, cwd=folder, timeout=60.0, env={"HOME": str(folder), "PATH": "/usr/bin:/bin"})
    lines = result.stderr.splitlines()
    assert not result.log.traps
    return json.loads(lines[-1]) | {"reason": lines[0].split(":")[1].strip() if len(lines) > 1 else "ok"}


STALLS = {
    "DNS": "http://hang.canal-journal.com/",
    "connect": "http://dark.canal-journal.com/",
    "black-holed addresses": f"http://{BLACK_HOLES}/",
    "TLS": "https://tls-silent.canal-journal.com/",
    "no answer": "https://slow.canal-journal.com/silent",
    "headers": "https://slow.canal-journal.com/drip-headers",
    "103 trickle": f"https://{HOST}/slow-hints",
    "body drip": "https://slow.canal-journal.com/drip",
    "chunked drip": "https://slow.canal-journal.com/drip-chunked",
    "body stall": "https://slow.canal-journal.com/stall",
    "trailers": "https://slow.canal-journal.com/trailer-drip",
}


@pytest.mark.parametrize("stall", STALLS)
def test_every_stall_ends_at_the_limit(net: SealedInternet, tmp_path: Path, stall: str) -> None:
    told = measured(net, tmp_path, STALLS[stall], LIMIT_S)
    print(f"{stall}: {told['seconds'] - LIMIT_S:+.3f} s")
    assert told["reason"] == "fetch_deadline"
    assert LIMIT_S - 0.05 <= told["seconds"] <= LIMIT_S + LATE_S


@pytest.mark.parametrize("path", ["early-hints-flood", "early-hints-drip"])
def test_a_flood_of_103_ends_before_it(net: SealedInternet, tmp_path: Path, path: str) -> None:
    told = measured(net, tmp_path, f"https://slow.canal-journal.com/{path}", 5.0)
    assert (told["reason"], told["seconds"] < 4.0) == ("headers_too_large", True)


BOMBS = {
    "/gzip": "ok", "/deflate": "ok", "/double-gzip": "content_encoding", "/br": "content_encoding", "/zstd": "content_encoding",
    "/error-gzip": "http_not_found",
}  # fmt: skip


def test_a_bomb_costs_the_fetcher_no_more_than_a_page(net: SealedInternet, tmp_path: Path) -> None:
    page = measured(net, tmp_path, f"https://{HOST}/page", 20.0)
    assert page["reason"] == "ok"
    for path, reason in BOMBS.items():
        told = measured(net, tmp_path, f"https://{HOST}{path}", 20.0)
        above = told["peaks_kb"]["fetcher"] - page["peaks_kb"]["fetcher"]
        print(f"{path}: fetcher {above / 1000:+.1f} MB, all {told['peaks_kb']}, {told['seconds']:.2f} s")
        assert told["reason"] == reason, path
        assert above <= BOMB_KB, path
