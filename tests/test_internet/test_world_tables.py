"""The tables that describe the sealed internet agree with it, and its own files are what they claim to be."""

import gzip
import re
import zlib
from pathlib import Path

import pytest

from tests.internet import addresses, misbehaving, names, pdf, sites
from tests.internet.dns import NXDOMAIN, Answers, Zone, fixed, parse_question
from tests.internet.replies import Reply, Site

README = (Path(__file__).parents[1] / "internet" / "README.md").read_text("utf-8")
TABLE_ROWS = [line for line in README.splitlines() if line.startswith("| ")]


def test_every_host_and_name_stands_in_the_readme() -> None:
    first_cells = " ".join(row.split("|")[1] for row in TABLE_ROWS)
    listed = set(first_cells.replace(",", " ").split())
    there = {site.host for site in sites.SITES} | set(names.NAMES)
    assert there - listed == set()
    claimed = {word for word in listed if word.count(".") >= 1 and not word.endswith(("`", "/"))}
    assert claimed - there == {"missing.canal-journal.com"}


@pytest.mark.parametrize("site", [site for site in sites.SITES if len(site.routes) > 1], ids=lambda site: site.host)
def test_every_path_stands_in_the_readme(site: Site) -> None:
    words = set(re.findall(r"(?<= )/[\w/.-]*", " ".join(TABLE_ROWS)))
    assert set(site.routes) - words - {"/landing", "/"} == set()


@pytest.mark.parametrize("address", ["10.0.0.0", "127.0.0.1", "169.254.169.254", "100.127.255.255", "198.51.100.7", "::1",
                                     "fd00::1", "fe80::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::1"])  # fmt: skip
def test_internal_addresses_are_traps(address: str) -> None:
    assert addresses.is_trap(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "11.0.0.1", "100.128.0.1", "198.18.0.23", "2606:2800:220:1::34",
                                     "64:ff9b::5db8:d822", "2400::1"])  # fmt: skip
def test_public_addresses_are_none(address: str) -> None:
    assert not addresses.is_trap(address)


def query(name: str, kind: int = 1) -> bytes:
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return b"\x12\x34\x01\x00\0\x01\0\0\0\0\0\0" + labels + b"\0" + kind.to_bytes(2) + b"\0\x01"


def test_a_sequence_stays_at_its_last_answer_and_starts_again_when_set() -> None:
    zone = Zone({"a.com": Answers(a=(("1.1.1.1",), ("2.2.2.2",)))})
    asked = [zone.answer(query("A.com"), over_udp=True)[1].addresses for _ in range(3)]
    assert asked == [("1.1.1.1",), ("2.2.2.2",), ("2.2.2.2",)]
    zone.set("A.COM", fixed("3.3.3.3"))
    assert zone.answer(query("a.com"), over_udp=True)[1].addresses == ("3.3.3.3",)
    assert zone.answer(query("b.com"), over_udp=True)[1].rcode == NXDOMAIN


@pytest.mark.parametrize("packet", [b"", b"\0" * 12, query("a.com")[:-3], b"\x12\x34\x81" + query("a.com")[3:]])
def test_what_is_no_query_is_not_answered(packet: bytes) -> None:
    with pytest.raises(ValueError):
        parse_question(packet)


def test_the_bomb_is_one_valid_gzip_member() -> None:
    bomb = misbehaving.gzip_bomb(3)
    assert gzip.decompress(bomb) == bytes(3_000_000)
    unpacker = zlib.decompressobj(31)
    unpacker.decompress(bomb)
    assert unpacker.eof
    assert unpacker.unused_data == b""


def test_the_article_is_an_ordinary_page_of_about_50_kb() -> None:
    reply = sites.NEWS["/articles/lock-gates"]
    assert isinstance(reply, Reply)
    assert isinstance(reply.body, bytes)
    assert 45_000 < len(reply.body) < 55_000
    assert all(mark in reply.body for mark in (b"<table", b"<pre", b"<h3", b"<blockquote", b"<script"))


def test_the_japanese_page_is_the_same_text_in_every_encoding() -> None:
    text = (sites.PAGES / "gomi.html").read_text("utf-8")
    reply = sites.CITY["/kurashi/gomi.html"]
    assert isinstance(reply, Reply)
    assert isinstance(reply.body, bytes)
    assert reply.body.decode("cp932") == text.replace("@CHARSET@", "Shift_JIS")
    assert all(character in text for character in "①㈱髙﨑Ⅱ℡㎝～")
    assert sites.euc("月代市ー①㈱髙") == "月代市ー".encode("euc_jp") + b"\xad\xa1\xad\xea" + "高".encode("euc_jp")


@pytest.mark.parametrize("total", [15_000_000, 15_000_001, 20_003])
def test_a_padded_pdf_has_its_exact_size(total: int) -> None:
    whole = pdf.padded_pdf([["one page"]], total)
    assert len(whole) == total
    assert whole.startswith(b"%PDF-")
    start = int(whole.rsplit(b"startxref\n", 1)[1].split(b"\n")[0])
    assert whole[start:].startswith(b"xref\n")


@pytest.mark.parametrize(("password", "needs_one"), [(None, False), ("", False), ("river", True)])
def test_pdf_encryption_as_pdfium_sees_it(password: str | None, needs_one: bool) -> None:
    pdfium = pytest.importorskip("pypdfium2")
    whole = pdf.text_pdf([["Side ponds (a note)"]], password=password)
    if needs_one:
        with pytest.raises(pdfium.PdfiumError):
            pdfium.PdfDocument(whole)
    document = pdfium.PdfDocument(whole, password=password if needs_one else None)
    assert document[0].get_textpage().get_text_range() == "Side ponds (a note)"
