"""Lines of a page that imitate a fence around outside text: ours, the older Japanese one, and those other tools print.

The broker makes the true fence with a nonce, which makes forging pointless; this is the second line of defence.
"""

import re
from typing import Final

from guarded_webfetch.text.lazy_pattern import LazyPattern

_WORDS: Final = (
    r"untrusted|external|outside|web[ -]?page|web[ -]?text|page (?:content|data|text)|fetch|tool (?:output|result)"
    r"|content|context|document|data|input|instructions?|外部|データ|ページ|ここまで|ここから"
)
_DRAWING: Final = (
    r"(?:(?<![=＝])(?<![=＝][ \t])[=＝](?:[ \t]?[=＝]){2,40}+|(?<!-)-{3,80}+|(?<!#)#{3,80}+|(?<!\*)\*{3,80}+|(?<!~)~{3,80}+"
    r"|(?<![<＜])[<＜]{3,80}+|(?<![>＞])[>＞]{3,80}+|(?<!_)_{3,80}+)"
)
_CLOSING: Final = r"(?:[=＝][ \t]?[=＝]|---|###|\*\*\*|~~~|[<＜]{3}|[>＞]{3}|___)"
# A line drawing, a word of beginning or end, one of the words above, another line drawing; PEM armour is none of these.
FENCE: Final = LazyPattern(
    rf"{_DRAWING}(?=[ \t]?(?:BEGIN|END|START|STOP|ここ|外部|以下|以上)[^\n]{{0,80}}?{_CLOSING})"
    rf"(?=[^\n]{{0,60}}?(?:{_WORDS}))",
    re.IGNORECASE,
)
# A fence needs one of these.
HINTS: Final = ("===", "= = =", "＝＝＝", "---", "###", "***", "~~~", "<<<", ">>>", "＜＜＜", "＞＞＞", "___")
# Closing drawings of such a line.
FENCE_END: Final = LazyPattern(_DRAWING)
# XML-like fences with a nonce, as fetch tools print them.
NONCE_TAG: Final = (
    r"(?:fetch|web|page|data|untrusted|external|content|document|tool|source)(?:[-_](?=[\w-]*\d)[\w-]{1,40})"
)
# The marks our own writer draws between sections.
SECTION: Final = LazyPattern(
    r"^(?P<section>[ \t]{0,8})(?=-{3}[ \t]?(?:page[ \t]+\d{1,6}|\d{1,6}[ \t]*ページ目?|details|end of details)[^\n]{0,20}-{3})",
    re.IGNORECASE | re.MULTILINE,
)
