"""Forged structure: page text that imitates our marks, a fence, a chat template, a turn, a tool call.

Our own marks get a backslash before each bracket; the delimiters of others get one inside, because a tokenizer that reads
`<|im_start|>` as a control token reads it just as well after a backslash. All stays readable, nothing is removed, and a
second pass finds nothing more to do.
"""

import re
from collections.abc import Iterator
from typing import Final

from guarded_webfetch.text.edits import Edit
from guarded_webfetch.text.fence import FENCE, FENCE_END, HINTS, NONCE_TAG, SECTION
from guarded_webfetch.text.lazy_pattern import LazyPattern

WHAT: Final = "forged_mark"

_OURS: Final = LazyPattern(r"(?<!\\)\[(?:FILTERED:|(?:L|LINK:)\d{1,6}\])|(?<!\\)\{\{link:\d|⟦L\d", re.IGNORECASE)
_OURS_END: Final = LazyPattern(r"[^\[\]\n]{0,80}(?<!\\)\]")
# Special tokens: <|im_start|>, <｜User｜>, also with blanks; name of at least two characters, so that code such as `<|>` is none.
_TOKEN: Final = LazyPattern(r"[<＜](?=[ ]?[|｜][ ]?[A-Za-z▁][\w▁ ./:-]{1,40}?[ ]?[|｜][ ]?[>＞])")
_TOKEN_IN_CODE: Final = LazyPattern(r"[<＜](?=[|｜][A-Za-z▁][\w▁.-]{2,40}[|｜][>＞])")
_TAGS: Final = (
    r"(?:antml:)?(?:function_calls?|function_results?|invoke|parameter(?=\s+name)|tool_(?:calls?|results?|responses?|use|code|outputs?)"
    r"|system[-_](?:reminder|prompt|message|instructions?)|system|thinking|think|answer|assistant|developer"
    r"|(?:start|end)_of_(?:turn|text|sentence|image)|im_(?:start|end|sep)|user[-_](?:message|prompt|query|input)"
    r"|information|instructions?|important|bos|eos|untrusted|admin)|情報|指示|システム"
)
_TAG: Final = LazyPattern(rf"[<＜](?=/?(?:{_TAGS}|{NONCE_TAG})(?:[\s/>＞]|$))|<(?=/s>)", re.IGNORECASE)
_TAG_IN_CODE: Final = LazyPattern(
    r"<(?=/?(?:antml:|function_calls>|invoke name=|system-reminder>|(?:start|end)_of_turn>|tool_calls?>|im_(?:start|end)>))",
    re.IGNORECASE,
)
_BRACKET: Final = LazyPattern(
    r"\[(?=/?(?:INST|SYS|SYSTEM(?:_PROMPT)?|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS)|system|System|ASSISTANT|USER)\](?!\())|<(?=</?SYS>>)"
)
_BRACKET_IN_CODE: Final = LazyPattern(r"\[(?=/?(?:INST|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS))\])|<(?=</?SYS>>)")
_ROLES: Final = r"(?:system(?:[ _]message)?|instructions?|response|assistant|human|user)"
_HEADING: Final = LazyPattern(
    rf"^[ \t]*#(?=#{{1,3}}[ ]?(?:\({_ROLES}\)|{_ROLES}[ ]?[:：])|##[ ]?(?:instruction|response)[ ]?$)",
    re.IGNORECASE | re.MULTILINE,
)
_TURN_ROLES: Final = ("Human", "Assistant", "System", "User", "HUMAN", "ASSISTANT", "SYSTEM", "USER")
_TURN: Final = LazyPattern(rf"(?:\A|(?<=\n\n)|(?<=\n))(?=(?P<role>{'|'.join(_TURN_ROLES)})[:：])")


def forged(text: str, *, code: bool = False) -> list[Edit]:
    """The edits that neutralise imitations in `text`; in code only what nothing but an imitation can be."""
    finders = (_our_marks, _code_tokens) if code else (_our_marks, _fences, _sections, _delimiters, _turns)
    found = sorted({edit for finder in finders for edit in finder(text)})
    return [edit for edit in found if not _neutral(text, edit)]


def _neutral(text: str, edit: Edit) -> bool:
    """A backslash stands there already."""
    return text[edit.start : edit.start + 1] == "\\" or text[edit.start - 1 : edit.start] == "\\"


def _insert(at: int, what: str = WHAT) -> Edit:
    return Edit(at, at, "\\", what)


def _our_marks(text: str) -> Iterator[Edit]:
    if "[" not in text and "{{" not in text and "⟦" not in text:
        return
    for match in _OURS.finditer(text):
        yield _insert(match.start())
        end = _OURS_END.match(text, match.start() + 1)
        if end and match[0][0] == "[":
            yield _insert(end.end() - 1, "")


def _fences(text: str) -> Iterator[Edit]:
    if not any(hint in text for hint in HINTS):
        return
    for match in FENCE.finditer(text):
        yield _insert(match.end() - 1)
        end = FENCE_END.search(text, match.end(), match.end() + 120)
        if end and "\n" not in text[match.end() : end.start()]:
            yield _insert(end.start() + 1, "")


def _sections(text: str) -> Iterator[Edit]:
    if "---" in text:
        for match in SECTION.finditer(text):
            yield _insert(match.end())


def _delimiters(text: str) -> Iterator[Edit]:
    for hints, pattern in ((("|", "｜"), _TOKEN), (("<", "＜"), _TAG), (("[", "<<"), _BRACKET), (("##",), _HEADING)):
        if any(hint in text for hint in hints):
            for match in pattern.finditer(text):
                yield _insert(match.end())


def _code_tokens(text: str) -> Iterator[Edit]:
    for hints, pattern in ((("|", "｜"), _TOKEN_IN_CODE), ("<", _TAG_IN_CODE), (("[", "<<"), _BRACKET_IN_CODE)):
        if any(hint in text for hint in hints):
            for match in pattern.finditer(text):
                yield _insert(match.end())


def _turns(text: str) -> Iterator[Edit]:
    """A line that opens a turn: Human and Assistant always, System and User only beside another role."""
    if not any(role in text for role in _TURN_ROLES):
        return
    found = list(_TURN.finditer(text)) if ":" in text or "：" in text else []
    roles = {match["role"].lower() for match in found}
    for match in found:
        if match["role"].lower() in ("human", "assistant") or len(roles) > 1:
            yield _insert(match.start())
