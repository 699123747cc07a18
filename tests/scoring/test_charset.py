"""The charset scorer: a wrong text is counted, and so is a wrong text that nothing says."""

import json

from scoring import charset

JA = "運河事務所は毎日、石柱の水位を測って日誌に書きます。"


def folder(tmp_path, *rows):
    """A data folder: (bytes, Content-Type, expected text, further fields) for each row."""
    lines = []
    for number, (body, content_type, expected, fields) in enumerate(rows):
        (tmp_path / f"{number}.html").write_bytes(body)
        row = {"id": f"row-{number}", "file": f"{number}.html", "content_type": content_type, "expected_text": expected}
        lines.append(json.dumps({**row, **fields}))
    (tmp_path / "manifest.jsonl").write_text("\n".join(lines), "utf-8")
    return tmp_path


def page(text, codec):
    return f"<html><title>t</title><body><p>{text}</p></body></html>".encode(codec)


def test_right_and_wrong_rows(tmp_path):
    rows = [
        (page(JA, "cp932"), "text/html; charset=Shift_JIS", f"t\n\n{JA}", {}),
        (page("plain words", "utf-8"), "text/html; charset=utf-8", "other words", {}),
        (page("plain words", "utf-8"), "text/html; charset=utf-8", "other words", {"doubtful": True}),
    ]
    found = charset.score(folder(tmp_path, *rows), peers=False)
    assert found.keys == {"cases": 2, "exact": 1, "lossy": 1, "lossy_flagged": 0}
    assert "NOT FLAGGED" in found.failures[0]
    assert "doubtful rows: 0 of 1 exact" in found.skipped


def test_replaced_bytes_are_lossy_and_flagged(tmp_path):
    body = page(JA * 40, "utf-8").replace("石".encode(), b"\xe7\x9f", 1)
    found = charset.score(folder(tmp_path, (body, "text/html; charset=utf-8", JA, {})), peers=False)
    assert found.keys == {"cases": 1, "exact": 1, "lossy": 1, "lossy_flagged": 1}


def test_a_refusal_says_it(tmp_path):
    found = charset.score(folder(tmp_path, (b"\x89PNG\r\n\x1a\n" + b"a" * 400, "text/html", "x", {})), peers=False)
    assert found.keys == {"cases": 1, "exact": 0, "lossy": 1, "lossy_flagged": 1}


def test_peers_are_measured_or_named(tmp_path):
    body = b"<meta charset=Shift_JIS>" + page(JA, "cp932")
    found = charset.score(folder(tmp_path, (body, "text/html", JA, {})), peers=True)
    assert found.keys["exact"] == 1
    assert found.peers["httpx"]["exact"] == 0
    assert set(found.peers) | {line.split(":")[0] for line in found.skipped} == set(charset.PEERS)
