"""HTML to `Parsed`: decode, one tree, hidden text aside, main content, blocks."""

from guarded_webfetch.core.limits import MAX_RAW_HTML_CHARS
from guarded_webfetch.core.messages import Block, Markup, Parsed, ParseOrder
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.parser import formulas, hidden, main_content, page_facts, tree
from guarded_webfetch.parser.decode import decode
from guarded_webfetch.parser.links import LinkTable, base_url_of
from guarded_webfetch.parser.measure import letters_in


def parse_html(body: bytes, order: ParseOrder) -> Parsed:
    """All that is said by an HTML page. Raises Refusal `extract_empty`, `charset_unknown`, `bot_challenge` or `login_required`."""
    source, charset = decode(body, order["charset_header"], "html", truncated=order["truncated"])
    page = tree.parse(source)
    if page is None:
        raise Refusal("extract_empty")
    root = page.root
    title = page_facts.title_of(root)
    scripts = page_facts.script_chars(root)
    active = page_facts.active_markup(root)
    meta_refresh = page_facts.has_meta_refresh(root)
    links = LinkTable(base_url_of(root, order["base_url"]))
    formulas.unify(root)
    split = hidden.split(root)
    body_element = root.find("body")
    content_root = body_element if body_element is not None else root
    letters = letters_in(tree.text_of(content_root))
    if page_facts.is_challenge(source, title, letters):
        raise Refusal("bot_challenge")
    if page_facts.is_login(root, title):
        raise Refusal("login_required")
    content = main_content.choose(content_root, links)
    if not any(_letters(block) for block in content.blocks):
        raise Refusal("extract_empty")
    active.update(links.active)
    markup: Markup = {
        "meta_refresh": meta_refresh,
        "likely_spa": page_facts.is_shell(root, letters, content.plain_letters, scripts),
        "depth_limited": page.depth_limited,
        "hidden_check_incomplete": split.is_unsure_of("\n".join(map(_text, content.blocks))),
        "active_markup": [[kind, count] for kind, count in sorted(active.items())],
        "pdf_partly_scanned": False,
        "pdf_invisible_text_layer": False,
        "truncated": order["truncated"] or page.cut,
    }
    return {
        "charset": charset,
        "title": title,
        "blocks": content.blocks,
        "links": links.rows(),
        "hidden": split.hidden,
        "markup": markup,
        "source": source[:MAX_RAW_HTML_CHARS],
        "source_truncated": len(source) > MAX_RAW_HTML_CHARS,
        "extractor": content.extractor,
        "kept_permille": content.kept_permille,
    }


def _text(block: Block) -> str:
    return "\n".join([block["text"], *(cell["text"] for row in block.get("rows", []) for cell in row)])


def _letters(block: Block) -> int:
    return letters_in(block["text"]) + sum(letters_in(cell["text"]) for row in block.get("rows", []) for cell in row)
