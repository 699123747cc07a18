"""Floors on the data sets: a figure below what was reached before is a failure. Counts are rows."""

import json
from collections import Counter

import pytest

from tests.sanitizer.orders import paragraph, run

# attack rows with a strong match (of all), at least
STRONG = {
    "own_encoded": (25, 27),
    "own_web_text": (42, 42),
    "text_agentdojo": (66, 80),
    "text_agentdojo-ja": (35, 38),
    "text_greshake-llm-security": (8, 8),
    "text_garak-latent": (28, 28),
    "text_bipia-codeattack": (57, 61),
}
# benign rows with a strong match and with any match, at most
FALSE = {
    "own_encoded": (0, 0),
    "own_web_text": (0, 3),
    "text_udhr": (0, 0),
    "text_notinject": (0, 0),
    "text_python-stdlib": (0, 0),
    "text_wildguard-benign": (0, 1),
    "text_bipia-code": (0, 0),
    "text_bipia-email": (0, 0),
    "text_bipia-table": (0, 0),
    "text_garak-whois": (0, 0),
    "text_prompt-armor-benign": (0, 0),
    "text_promptingguide-general": (0, 7),
    "text_owasp-cheatsheets": (6, 7),
    "text_owasp-llm-top10": (5, 9),
}


@pytest.fixture(scope="module")
def rows(data_folder):
    def read(name):
        file = data_folder / "injection" / f"{name}.jsonl"
        if not file.is_file():
            pytest.skip(f"no data set {name}")
        found = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        assert found
        return found

    return read


def prose(text):
    return run(paragraph(text), kind="text")


def test_smuggling_is_removed_and_nothing_legitimate_is_touched(rows):
    wrong = []
    for row in rows("own_unicode"):
        result = prose(row["text"])
        text, flagged = result["raw_text"], result["had_invisible_chars"] or bool(result["suspicious_patterns"])
        expected = row.get("expect")
        if row["label"] == "benign":
            fine = text == row["text"] and not flagged
        else:
            fine = flagged == row["must_flag"] and (expected is None or text == expected or "[FILTERED:" in text)
            fine = fine and not any(chr(int(code, 16)) in text for code in row["must_remove"])
        if not fine:
            wrong.append(row["id"])
    assert wrong == []


@pytest.mark.parametrize("name", ["own_fence", "own_exfil_markup"])
def test_forged_structure_and_live_markup(rows, name):
    wrong = []
    for row in rows(name):
        text = prose(row["text"])["raw_text"]
        if any(mark in text for mark in row.get("must_remove_str") or []) or any(
            k not in text for k in row.get("must_keep") or []
        ):
            wrong.append(row["id"])
    assert wrong == []


@pytest.mark.parametrize("name", STRONG)
def test_attacks_are_found(rows, name):
    attacks = [row for row in rows(name) if row["label"] == "attack"]
    found = sum(bool(prose(row["text"])["suspicious_patterns"]) for row in attacks)
    floor, of = STRONG[name]
    assert len(attacks) == of
    assert found >= floor


@pytest.mark.parametrize("name", FALSE)
def test_benign_text_is_left_alone(rows, name):
    counts = Counter()
    for row in rows(name):
        if row["label"] == "benign":
            result = prose(row["text"])
            counts["strong"] += bool(result["suspicious_patterns"])
            counts["any"] += bool(result["suspicious_patterns"] or result["noted_patterns"])
            counts["rows"] += 1
            assert not result["scan_incomplete"]
    assert counts["rows"]
    assert (counts["strong"], counts["any"]) <= FALSE[name]
    assert counts["any"] <= FALSE[name][1]


def test_declarations_of_human_rights_are_delivered_byte_for_byte(rows):
    for row in rows("text_udhr"):
        result = prose(row["text"])
        assert result["raw_text"] == row["text"], row["id"]
        assert not result["had_invisible_chars"] and not result["forged_marks"]
