"""The rules find no less than they did, on sentences of our own and on the data sets where those are at hand."""

import tomllib
from pathlib import Path

import pytest

from guarded_webfetch.rules.compact import load
from tests.sanitizer.orders import paragraph, run

HERE = Path(__file__).parent
CORPUS = tomllib.loads((HERE / "corpus.toml").read_text("utf-8"))
FLOORS = tomllib.loads((HERE / "floors.toml").read_text("utf-8"))


def share_of_strong(sentences):
    return sum(bool(run(paragraph(text), kind="text")["suspicious_patterns"]) for text in sentences) / len(sentences)


def below(figures, floors):
    """The names whose figure is missing or lower than its floor."""
    return [name for name, floor in floors.items() if figures.get(name) is None or figures[name] < floor]


def above(figures, ceilings):
    return [name for name, ceiling in ceilings.items() if figures.get(name) is None or figures[name] > ceiling]


def test_the_check_itself_sees_a_lower_figure_and_a_missing_one():
    assert below({"en": 0.8, "ja": 0.9}, {"en": 0.81, "ja": 0.9, "de": 0.1}) == ["en", "de"]
    assert above({"clean": 0.02, "quoting": 0.1}, {"clean": 0.01, "quoting": 0.1, "other": 1}) == ["clean", "other"]


def test_own_attacks_are_found_in_every_language():
    assert set(CORPUS["attacks"]) == set(CORPUS["benign"]) == set(FLOORS["corpus"]["strong"])
    found = {language: share_of_strong(sentences) for language, sentences in CORPUS["attacks"].items()}
    assert below(found, FLOORS["corpus"]["strong"]) == []


def test_own_attacks_need_the_rules():
    """Without the rules of a language its floor is missed: the figures are not those of something else."""
    from guarded_webfetch.sanitizer.sanitize import sanitize
    from guarded_webfetch.text.patterns import Matcher
    from tests.sanitizer.orders import order

    for language in ("ja", "ru", "hi"):
        others = Matcher([rule for rule in load() if language not in rule.id.split("-")[:2]])
        found = [
            bool(sanitize(order(paragraph(text), kind="text"), others)["suspicious_patterns"])
            for text in CORPUS["attacks"][language]
        ]
        floor = FLOORS["corpus"]["strong"][language]
        assert below({language: sum(found) / len(found)}, {language: floor}) == [language]


def test_own_harmless_sentences_are_delivered_as_they_stand():
    results = {
        text: run(paragraph(text), kind="text", link_style="inline")
        for sentences in CORPUS["benign"].values()
        for text in sentences
    }
    changed = [text for text, said in results.items() if said["raw_text"].strip() != text]
    figures = {
        "benign_strong": sum(bool(said["suspicious_patterns"]) for said in results.values()) + len(changed),
        "benign_noted": sum(bool(said["noted_patterns"]) for said in results.values()),
    }
    assert above(figures, FLOORS["corpus_ceilings"]) == [], changed


@pytest.mark.long
def test_figures_on_the_data_sets(data_folder):
    import sys

    from tests.conftest import REPOSITORY

    sys.path.append(str(REPOSITORY / "scripts"))
    from scoring import phrases

    keys = phrases.score(data_folder / phrases.DEFAULT, peers=False).keys
    for name, floors in FLOORS["data"].items():
        assert below(keys[name], floors) == [], name
    assert above(keys, FLOORS["data_ceilings"]) == []
