"""Texts that a pattern matches, drawn from its parse tree, so that every alternative is seen."""

import random
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]

REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
MOST = 6  # repetitions drawn beyond the least
LETTERS = "aeinorstdlm"


def samples(pattern: str, count: int, seed: int = 0) -> list[str]:
    """`count` texts of the shape of `pattern`; what it looks ahead for or behind is left out."""
    draw = random.Random(seed)
    tree = _parser.parse(pattern)
    return ["".join(_drawn(tree, draw)) for _ in range(count)]


def _drawn(tree, draw):
    for operator, argument in tree:
        if operator is op.LITERAL:
            yield chr(argument)
        elif operator in REPEATS:
            least, most, body = argument
            for _ in range(draw.randint(least, min(most, least + MOST))):
                yield from _drawn(body, draw)
        elif operator is op.SUBPATTERN:
            yield from _drawn(argument[3], draw)
        elif operator is op.ATOMIC_GROUP:
            yield from _drawn(argument, draw)
        elif operator is op.BRANCH:
            yield from _drawn(draw.choice(argument[1]), draw)
        elif operator is op.IN:
            yield _one_of(argument, draw)
        elif operator in (op.ANY, op.NOT_LITERAL):
            yield " "


def _one_of(members, draw):
    """A member of a character class; of a negated one a blank, which a gap between words may well be."""
    if members[0][0] is op.NEGATE:
        without_blank = {(op.LITERAL, ord(" ")), (op.CATEGORY, op.CATEGORY_SPACE)} & set(members)
        return next(c for c in ("aX" if without_blank else " ") if (op.LITERAL, ord(c)) not in members)
    kind, argument = draw.choice(members)
    if kind is op.LITERAL:
        return chr(argument)
    if kind is op.RANGE:
        return chr(draw.randint(*argument))
    return {op.CATEGORY_SPACE: " ", op.CATEGORY_DIGIT: "7"}.get(argument, draw.choice(LETTERS))
