"""A rule is looked for only where one of its anchors stands: each of its alternatives must hold one."""

import pytest

from guarded_webfetch.rules.loader import load
from guarded_webfetch.text.patterns import compile_pattern
from tests.rules.samples import samples

RULES = load()
DRAWN = 160


def matched(rule, count=DRAWN):
    """What the pattern matches in drawn texts, with a blank on either side, as in a sentence."""
    compiled = compile_pattern(rule.pattern)
    for text in samples(rule.pattern, count):
        match = compiled.search(f" {text} ")
        if match:
            yield f" {match[0].strip()} ".replace("\n", " ")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_whatever_a_pattern_matches_holds_an_anchor(rule):
    found = list(matched(rule))
    assert len(found) > DRAWN // 20, "the drawn texts say nothing about this pattern"
    missed = {text for text in found if not any(anchor in text for anchor in rule.anchors)}
    assert not missed


def test_an_alternative_without_an_anchor_is_noticed():
    rule = RULES[0]._replace(pattern="(?:red|blue) fox|green frog", anchors=("fox",))
    assert any("fox" not in text for text in matched(rule))
