"""Which characters belong together: the few script classes the rules need, as tests of one character."""

from collections.abc import Callable
from typing import Final

from guarded_webfetch.text import unicode_tables as tables
from guarded_webfetch.text.lazy_pattern import LazyPattern

Test = Callable[[str], bool]


def one_of(members: str) -> Test:
    """Whether a character is in the class with these members (as inside the brackets of `re`)."""
    pattern = LazyPattern(f"[{members}]")
    return lambda character: pattern.match(character) is not None


# Scripts whose letters join or stack, so that ZWJ and ZWNJ change what is seen: Arabic and its kin, Brahmic scripts.
JOINING_LETTERS: Final = (
    "\u0620-\u065f\u066e-\u06d3\u06d5-\u06dc\u06fa-\u074f\u0750-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f40-\u0fbc"
    "\u1000-\u109f\u1780-\u17d3\u1807-\u18aa\u1a20-\u1aad\u1b00-\u1bff\ua840-\ua877\ua8e0-\ua8ff\ua980-\ua9df\uaa60-\uaaff\uabc0-\uabff"
    "\ufb50-\ufdfb\ufe70-\ufefc\U00010a00-\U00010a5f\U00010ac0-\U00010aff\U00010d00-\U00010d3f\U00010f30-\U00010fff"
    "\U00011000-\U00011dff\U0001e900-\U0001e95f"
)
JOINING: Final = one_of(JOINING_LETTERS)
# South-East Asian scripts without spaces between words: ZWSP marks where a line may break.
SPACELESS: Final = one_of(
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aad\u1b00-\u1bbf\ua980-\ua9ff\uaa00-\uaadf"
)
RTL: Final = "\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
HAN: Final = one_of("\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af")
CONJOINING: Final = one_of("\u1100-\u115e\u1161-\u11ff\ua960-\ua97c\ud7b0-\ud7fb")
EMOJI_LIKE: Final = one_of(tables.EMOJI)
LETTER: Final[Test] = str.isalpha
