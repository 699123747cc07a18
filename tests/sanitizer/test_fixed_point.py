"""Cleaning twice is cleaning once, over everything the sanitizer knows at once; a text only grows by marks of ours."""

import random

from guarded_webfetch.text.edits import Passage, apply, merge
from guarded_webfetch.text.marks import forged
from guarded_webfetch.text.unicode import clean
from tests.conftest import LONG_RUN
from tests.sanitizer.orders import paragraph, run
from tests.text.test_active import KEPT, LIVE, TARGETS
from tests.text.test_marks import BENIGN, DELIMITERS, OURS
from tests.text.test_unicode import ATTACKS, INVISIBLE, LEGITIMATE, QUIET

PIECES = [
    *LEGITIMATE.values(),
    *(text for text, *_ in ATTACKS.values()),
    *(text for text, _ in QUIET.values()),
    *BENIGN,
    *DELIMITERS,
    *OURS,
    *LIVE,
    *TARGETS,
    *KEPT,
    *INVISIBLE,
    *" \n\t[]()<>|`\\:/.",
]
ROUNDS = 20_000 if LONG_RUN else 600
WHOLE_ROUNDS = 2_000 if LONG_RUN else 60


def composed(rng, most):
    return "".join(rng.choice(PIECES) for _ in range(rng.randint(1, most)))


def test_cleaning_is_a_fixed_point_and_never_makes_longer():
    rng = random.Random(6)
    for _ in range(ROUNDS):
        text = composed(rng, 6)
        once = clean(Passage(text), keep_soft_hyphens=rng.random() < 0.5).passage.text
        again = clean(Passage(once))
        assert (again.passage.text, again.counts) == (once, {}), ascii(text)
        assert len(once) <= len(text)


def test_marking_only_adds_backslashes_and_is_a_fixed_point():
    rng = random.Random(7)
    for _ in range(ROUNDS):
        text = clean(Passage(composed(rng, 5))).passage.text
        code, structured = rng.random() < 0.3, rng.random() < 0.5
        once = apply(Passage(text), merge(forged(text, code=code, structured=structured))).text
        assert once.replace("\\", "") == text.replace("\\", ""), ascii(text)
        assert forged(once, code=code, structured=structured) == [], ascii(text)


def test_a_delivered_text_is_delivered_again_with_nothing_left_to_do():
    rng = random.Random(8)
    for _ in range(WHOLE_ROUNDS):
        kind = rng.choice(["text", "html"])
        first = run(paragraph(composed(rng, 5)), kind=kind)["raw_text"]
        # the marks of ours are the page's own words the second time
        plain = first.replace("[L", "(L").replace("[FILTERED:", "(FILTERED:").replace("[link]", "(link)")
        second = run(paragraph(plain), kind=kind)
        assert not second["had_invisible_chars"], ascii(first)
        assert second["bare_links"] == [], ascii(first)
