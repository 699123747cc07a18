"""The shapes that cross between processes. The schemas in `contract/` check the same shapes at run time.

All offsets count characters (code points). Nothing here is trusted: a child may be taken over by the page it reads.
"""

from typing import Literal, NotRequired, TypedDict

ContentKind = Literal["html", "text", "pdf"]
ParserKind = ContentKind | Literal["robots"]

# ---------------------------------------------------------------- broker -> fetcher, fetcher -> broker


class FetcherSetup(TypedDict):
    """First message: what to import and load before the lock. `ca_bundle` is an absolute path beside the system's."""

    scheme: Literal["http", "https"]
    ca_bundle: str | None


class FetchOrder(TypedDict):
    """Second message, after the connected socket was passed: exactly one GET on it."""

    host: str  # the origin host, without brackets: SNI and certificate name
    host_header: str
    port: int
    target: str  # origin-form, ASCII, sent byte for byte
    headers: list[list[str]]  # beyond Host: name, value
    max_bytes: int  # decoded bytes after which the fetcher stops by itself


class FetchStatus(TypedDict):
    """First answer of the fetcher, alone, so that the broker can fork what a redirect needs before it holds any header."""

    status: int


class FetchHead(TypedDict):
    """Second answer, right after. After it the broker sends {"go": true} or kills the fetcher."""

    headers: list[list[str]]  # in wire order, latin-1 decoded, names lower-cased


class FetchEnd(TypedDict):
    """After the last body chunk. `length_unknown`: the body merely ended with the connection."""

    length_unknown: bool


# ---------------------------------------------------------------- broker -> parser, parser -> broker


class ParserSetup(TypedDict):
    """What to import and warm before the lock."""

    kind: ParserKind


class ParseOrder(TypedDict):
    """Followed by one bytes frame with the body. `kind` is the one of the setup, or text for a parser set up for HTML."""

    kind: ContentKind
    content_type: str  # essence, lower case; "" when the server sent none
    charset_header: str | None  # the label of the Content-Type header as sent, or --charset
    base_url: str
    truncated: bool  # the body was cut at its limit
    seconds: NotRequired[float]  # PDF: how long reading may last from now on; the broker ends it then anyway


class RobotsOrder(TypedDict):
    """Instead of a ParseOrder, for a parser set up for robots.txt; followed by one bytes frame with the file."""

    kind: Literal["robots"]
    path: str  # with its query, as it would be asked for
    product_token: str


class RobotsVerdict(TypedDict):
    """All such a parser may say."""

    allowed: bool
    line: int | None  # of the rule that decided
    crawl_delay_ms: int | None


class Charset(TypedDict):
    name: str  # WHATWG name, lower case
    source: Literal["bom", "header", "meta", "detected", "fallback"]
    conflict: bool  # two declarations disagree
    replacements: int  # U+FFFD written because bytes did not decode


SpanKind = Literal["em", "strong", "code", "link", "sup", "sub"]
# [kind, start, end, argument]: argument is the 1-based link number for "link", 0 otherwise. Sorted by start, properly nested.
Span = tuple[SpanKind, int, int, int]


class Cell(TypedDict):
    text: str
    spans: list[Span]


class Block(TypedDict):
    """One block of text, in reading order. White space is final: the sanitizer prints it as it stands."""

    kind: Literal["paragraph", "heading", "item", "code", "table", "rule", "page", "details"]
    text: str  # "" for table and rule; code keeps its lines and indentation; page: the page number
    spans: list[Span]
    quote: NotRequired[int]  # how many block quotes stand around it
    level: NotRequired[int]  # heading 1-6
    depth: NotRequired[int]  # item: 0 is the outermost list; also a paragraph that continues an item
    number: NotRequired[int]  # item of an ordered list
    language: NotRequired[str]  # code: [a-z0-9+#-]{1,20}
    rows: NotRequired[list[list[Cell]]]  # table; the first row is its head; all rows equally long
    # details: starts the text of a closed <details> (text is its summary); runs until a block without `inside`
    inside: NotRequired[bool]  # the block belongs to a closed <details>


class Link(TypedDict):
    url: str  # absolute http(s), ASCII
    text: str


Technique = Literal[
    # concealed: hidden in a way that only serves to hide from people
    "size", "opacity", "colour", "off_screen", "clip", "transform", "overlay", "mask", "pdf_render_mode", "pdf_layer",
    "pdf_actual_text",
    # ordinary: what every site hides
    "display_none", "visibility", "hidden_attribute", "closed_dialog", "sr_only", "interface", "aria_hidden", "template", "noscript",
    "comment", "fallback_content", "attribute", "metadata", "form_value",
]  # fmt: skip


class Hidden(TypedDict):
    technique: Technique
    text: str


class Markup(TypedDict):
    """What the parser saw beside the text."""

    meta_refresh: bool
    likely_spa: bool
    depth_limited: bool
    hidden_check_incomplete: bool
    active_markup: list[list[str | int]]  # [kind, count]: "javascript_url", "data_url", "form", "frame", "object"
    pdf_partly_scanned: bool
    pdf_invisible_text_layer: bool
    truncated: bool  # pages beyond the page limit, or the body was cut


class Parsed(TypedDict):
    """All a parser may say."""

    charset: Charset | None  # null for PDF
    title: str | None
    blocks: list[Block]
    links: list[Link]  # link n of the spans is links[n - 1]
    hidden: list[Hidden]
    markup: Markup
    source: str | None  # HTML only: the decoded page, first MAX_RAW_HTML_CHARS characters
    source_truncated: bool
    extractor: Literal["readability", "structural", "whole_body", "verbatim", "pdf"]
    kept_permille: int  # share of the visible letters that the blocks keep


# ---------------------------------------------------------------- broker -> sanitizer, sanitizer -> broker


class SanitizeOrder(TypedDict):
    """One message: what the parser said that is text, and the person's options."""

    kind: ContentKind
    verbatim: bool  # JSON, CSV, XML, plain text: blocks are delivered as they stand
    title: str | None
    blocks: list[Block]
    links: list[Link]
    hidden: list[Hidden]
    source: str | None
    summary: Literal["extractive", "none"]
    link_style: Literal["placeholders", "inline"]
    urls: list[str]  # URLs the server chose (final and redirects), to be matched like a title


class Pattern(TypedDict):
    category: str
    rule: str
    count: int
    where: str  # "raw_text:1234", "title:0", "hidden:3", "url:0" ...


class OutlineEntry(TypedDict):
    heading: str
    level: int
    offset: int  # of the heading line in raw_text
    chars: int  # to the next heading of the outline, or the end


# "class" is a keyword of the language, hence the functional form.
InvisibleClass = TypedDict("InvisibleClass", {"class": str, "count": int, "decoded_chars": int})


class Decoded(TypedDict):
    """A payload that invisible characters spelled out."""

    encoding: Literal["tags", "variation_selectors", "zero_width_binary", "other"]
    text: str


class Removal(TypedDict):
    """One thing taken out or replaced, for the trace."""

    where: str
    what: str  # rule id, invisible class, "forged_mark", "truncated"
    chars: int


class Sanitized(TypedDict):
    """All a sanitizer may say."""

    title: str | None
    summary: str | None
    raw_text: str
    raw_html: str | None
    outline: list[OutlineEntry]
    link_texts: list[str]  # cleaned, one for each link given
    bare_links: list[Link]  # bare URLs found in prose; numbered on from the links given
    hidden: list[Hidden]  # cleaned
    decoded: list[Decoded]  # smuggled payloads
    suspicious_patterns: list[Pattern]
    noted_patterns: list[Pattern]
    invisible_chars: list[InvisibleClass]
    had_invisible_chars: bool
    forged_marks: int
    active_markup: list[list[str | int]]  # [kind, count] of what text/active.py counts
    truncated: bool
    scan_incomplete: bool
    raw_html_truncated: bool
    url_matches: list[bool]
    removals: list[Removal]
    rules_version: str
