"""Code is what every client shows as code; in doubt it is prose."""

import pytest

from guarded_webfetch.text.code_stretches import RENDERED_LANGUAGES, fenced_code, inline_code

INLINE = {
    "a `b` c": ["`b`"],
    "`a` and ``b ` c``": ["`a`", "``b ` c``"],
    "`a\nb`": ["`a\nb`"],
    "`a\n\nb`": [],
    "`a`\n\n`b`\n\n`c`": ["`a`", "`b`", "`c`"],
    "`a": [],
    "``a` b`": ["` b`"],
    "\\`a` b`": ["` b`"],
    "\\``a` b": ["`a`"],
    "a ` b\n`c` d": ["` b\n`"],
    "```\n`a`\n```": ["`a`"],
    "<a title='`'> `b`": [],
    "<b>`c`</b>": ["`c`"],
    "no ticks": [],
}
FENCED = {
    "```\na\n```": ["```\na\n```"],
    "x\n~~~ sh\na\n~~~\ny": ["~~~ sh\na\n~~~"],
    "````\n```\n````": ["````\n```\n````"],
    "```python\na\n```\n```mermaid\nb\n```": ["```python\na\n```"],
    "```mermaid\na\n```": [],
    "``` {.tex}\na\n```": [],
    "```\na": [],
    "```\na\n~~~": [],
    "```\na\n``` x": [],
    "    ```\na\n```": [],
    "<div>\n```\na\n```": [],
    "<!--\n```\na\n```": [],
    "plain": [],
}


@pytest.mark.parametrize("text", INLINE)
def test_code_spans(text):
    assert [text[start:end] for start, end in inline_code(text)] == INLINE[text]


@pytest.mark.parametrize("text", FENCED)
def test_code_blocks(text):
    assert [text[start:end] for start, end in fenced_code(text)] == FENCED[text]


def test_languages_that_render_are_prose():
    for language in RENDERED_LANGUAGES:
        assert fenced_code(f"```{language.upper()}\na\n```") == []


def test_many_runs_take_no_longer_than_few():
    assert len(inline_code("`a" * 40_000)) == 20_000
