"""Lines of a page that imitate a fence around outside text: ours, the older Japanese one, and those other tools print.

The broker makes the true fence with a nonce, which makes forging pointless; this is the second line of defence. All patterns
match on a reading (see reading.py), where every width and look-alike of a drawing is the ASCII one.
"""

import re
from typing import Final

from guarded_webfetch.text.lazy_pattern import LazyPattern

_OURS: Final = r"untrusted|web[-_ ]?text|外部|ここまで|ここから"
_WORDS: Final = (
    rf"{_OURS}|external|outside|retrieved|fetched|web[-_ ]?(?:page|site|content|search)|page[-_ ](?:content|data|text)|fetch"
    r"|(?:tool|function|search)[-_ ](?:output|results?|calls?|response)|content|context|document|data|input|instructions?|prompt"
    r"|system|conversation|データ|ページ|文書|指示|内容|入力"
)
_SPACED: Final = r"(?<![=])(?<![=][ \t])=(?:[ \t]?=){2,40}+"
_LINES: Final = (rf"(?<!{sign}){sign}{{3,80}}+" for sign in ("-", "#", r"\*", "~", "<", ">", "_", r"\+", "%", '"'))
_DRAWING: Final = f"(?:{_SPACED}|{'|'.join(_LINES)})"
_CLOSING: Final = r"""(?:=[ \t]?=|---|###|\*\*\*|~~~|<<<|>>>|___|\+\+\+|%%%|\"\"\")"""
_OPENS: Final = (
    r"BEGIN|END|START|STOP|CLOSE|OPEN|FINISH|EOF|EXTERNAL|UNTRUSTED|TRUSTED|SYSTEM[ _-](?:MESSAGE|PROMPT|OVERRIDE|INSTRUCTION|NOTE)"
    r"|ここ|外部|以下|以上|終了|開始"
)
# A line drawing, a word of beginning or end, one of the words above, another line drawing; PEM armour is none of these.
FENCE: Final = LazyPattern(
    rf"{_DRAWING}(?=[ \t]{{0,3}}[/\[(]?(?:{_OPENS})[^\n]{{0,80}}?{_CLOSING})(?=[^\n]{{0,60}}?(?:{_WORDS}))",
    re.IGNORECASE,
)
# In code only what names outside text.
FENCE_IN_CODE: Final = LazyPattern(
    rf"{_DRAWING}(?=[ \t]{{0,3}}[/\[(]?(?:{_OPENS})[^\n]{{0,80}}?{_CLOSING})(?=[^\n]{{0,60}}?(?:{_OURS}))",
    re.IGNORECASE,
)
# What every drawing begins with: the pattern above looks behind first, which is slow at every place of a long text.
DRAWN: Final = LazyPattern(r"""=[ \t]?=[ \t]?=|---|###|\*\*\*|~~~|<<<|>>>|___|\+\+\+|%%%|\"\"\"""")
# Closing drawings of such a line.
FENCE_END: Final = LazyPattern(_DRAWING)
# The same in brackets.
BRACKETED: Final = rf"/?(?:BEGIN|END|START|STOP)(?:[ _-]OF)?[ _:-](?:[^\[\]\n]{{0,30}}[ _-])?(?:{_WORDS})(?:[ _:-][^\[\]\n]{{0,60}})?\]"
# XML-like fences with a nonce, as fetch tools print them.
NONCE_TAG: Final = (
    r"(?:fetch|web|page|data|untrusted|external|content|document|tool|source|result|context|boundary|user|input)"
    r"(?:[-_:](?=[\w-]*\d)[\w-]{1,60})"
)
# The marks our own writer draws between sections.
SECTION: Final = LazyPattern(
    r"^(?P<section>[ \t]{0,8})(?=-{3}[ \t]{0,3}(?:page[ \t]+\d{1,6}|\d{1,6}[ \t]*ページ目?|(?:end of[ \t]+)?details)[^\n]{0,20}-{3})",
    re.IGNORECASE | re.MULTILINE,
)
