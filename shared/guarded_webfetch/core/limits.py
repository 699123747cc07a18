"""Every number the project lives by: one screen, a unit in each name, the reason beside each.

Sizes are decoded bytes and decimal (1 MB is 1,000,000 bytes) unless a name says otherwise.
"""

from typing import Final

# --- one run
MAX_URLS_PER_RUN: Final = 15  # a batch a person can still review
MAX_PARALLEL_FETCHES: Final = 5  # per results folder
MAX_REDIRECTS: Final = 3  # http -> https -> www -> trailing slash is the longest honest chain
DEADLINE_S: Final = 20.0  # per URL, from its own start
MAX_TIMEOUT_S: Final = 60.0  # ceiling of --timeout
KILL_GRACE_S: Final = 0.1  # from deadline to every child gone

# --- URLs and HTTP
MAX_URL_CHARS: Final = 2_048  # counted on the rebuilt ASCII URL; refused beyond, never cut
MAX_DNS_ANSWERS: Final = 64  # a name may return hundreds; more than this tells nothing new
MAX_CONNECT_ATTEMPTS: Final = 4  # judged addresses tried per hop
CONNECT_STAGGER_S: Final = 0.25  # RFC 8305 section 5 "Connection Attempt Delay"
MAX_PROXY_HEAD_BYTES: Final = 4_096  # a proxy's answer to CONNECT; none of it is kept
MAX_HEADER_BYTES: Final = 64_000
MAX_HEADER_FIELDS: Final = 200  # h11 alone accepts 10,000 tiny fields
MAX_INFORMATIONAL_HEADS: Final = (
    8  # 1xx answers before the final one (Go long allowed 5; honest servers send one or two)
)
MAX_FRAMING_RATIO: Final = 6  # framing bytes a body byte may cost: a chunk of one byte costs five
MAX_COOKIES: Final = 50  # per redirect chain (RFC 6265 section 6.1 asks for at least 50 per host)
MAX_COOKIE_BYTES: Final = 4_096  # RFC 6265 section 6.1
MAX_COOKIE_HEADER_BYTES: Final = 5_000  # one Cookie field; with a full URL it still fits a control frame

# --- bodies
MAX_BODY_BYTES: Final = 3_000_000  # HTML and text: cut and flagged
MAX_TAGS: Final = 60_000  # "<" in an HTML page; cut and flagged. Real pages have up to 19,000; one element costs 0.5 kB and 10 microseconds
MAX_PDF_BYTES: Final = 15_000_000  # PDF: failure beyond, exactly this much is fine
MAX_ERROR_BODY_BYTES: Final = 200_000  # the page of an error is only judged, never delivered
ERROR_BODY_S: Final = 2.0  # for receiving it; beyond it the status alone speaks
SNIFF_BYTES: Final = 1_024  # a PDF header may stand anywhere in the first 1,024 bytes (ISO 32000 annex H)
MAX_PDF_PAGES: Final = 100  # cut and flagged
PDF_DEADLINE_S: Final = 15.0  # the shorter of this and what is left
MAX_PDF_PAGE_OBJECTS: Final = 20_000  # judged one by one; more sets hidden_check_incomplete
MAX_PDF_ANNOTATIONS: Final = 2_000  # of one page: links, fields, comments; more sets truncated
MAX_PDF_RENDER_PIXELS: Final = 8_000_000  # of one page drawn to judge suspicious text: 32 MB
PDF_RENDER_S: Final = 4.0  # drawing for one document; beyond it suspicious text stays and is flagged

# --- delivered text
MAX_TEXT_CHARS: Final = 80_000
MAX_RAW_HTML_CHARS: Final = 500_000
MAX_TITLE_CHARS: Final = 200
MAX_HEADING_CHARS: Final = 80
MAX_OUTLINE_ENTRIES: Final = 8  # in the record; all of them stand in the trace
MAX_SUMMARY_CHARS: Final = 300  # stage 1 stays under 2 kB, also in Japanese
MAX_SCAN_S: Final = 3.0  # matching rules over one page; beyond it `scan_incomplete`
MAX_RULE_SCAN_S: Final = 0.5  # one rule around its anchors
MAX_OPEN_SPANS: Final = 64  # spans inside spans; deeper ones lose their mark, not their text
MAX_LINKS: Final = 5_000  # rows of the link table
MAX_HIDDEN_CHARS: Final = 200_000  # hidden text set aside
MAX_REDIRECT_ORIGIN_CHARS: Final = 100

# --- a summary by a model, where a person switched it on
MODEL_SUMMARY_S: Final = 60.0  # from text to answer, after the fetch and apart from its deadline
CLIENT_CHECK_S: Final = 20.0  # a client's start against our own model service; it runs while the page is fetched
MAX_MODEL_OUTPUT_BYTES: Final = 64_000  # more is no summary
MAX_CLIENT_REQUEST_BYTES: Final = 4_000_000  # what a client sends in the check; instructions of its own are long

# --- robots.txt
MAX_ROBOTS_BYTES: Final = 512_000  # 500 KiB, the least a parser must read (RFC 9309 section 2.5); the rest is not read
MAX_ROBOTS_LINE_BYTES: Final = 16_663  # of one line, as Google's parser: eight times the longest URL of browsers
MAX_ROBOTS_REDIRECTS: Final = 5  # RFC 9309 section 2.3.1.2
ROBOTS_CACHE_S: Final = 86_400.0  # RFC 9309 section 2.4
ROBOTS_KEPT_S: Final = 30 * 86_400.0  # rules of a site that cannot be reached any more (RFC 9309 section 2.3.1.4)
ROBOTS_DEADLINE_S: Final = 5.0  # of a URL's own time; a site that takes longer for it is one that cannot be reached
MAX_CRAWL_DELAY_S: Final = 60.0  # a site that asks for more is asked once a minute

# --- frames between processes: bytes, checked before a byte of the payload is read
FRAME_CONTROL_BYTES: Final = 16_384
FRAME_HEAD_BYTES: Final = 400_000  # MAX_HEADER_BYTES as JSON, every byte escaped
FRAME_CHUNK_BYTES: Final = 65_536
FRAME_PARSED_BYTES: Final = 32_000_000
FRAME_SANITIZED_BYTES: Final = 16_000_000
MAX_JSON_DEPTH: Final = 12
MAX_JSON_INT_DIGITS: Final = 15

# --- children: rlimits
FETCHER_MEMORY_BYTES: Final = 512_000_000
PARSER_MEMORY_BYTES: Final = 768_000_000  # pdfium needs most of it; HTML stays far below
SANITIZER_MEMORY_BYTES: Final = 512_000_000
RESOLVER_MEMORY_BYTES: Final = 256_000_000
BROKER_MEMORY_BYTES: Final = 1_000_000_000

# --- sources
MAX_RUN_CHARS: Final = 1_200_000  # of all files of a run: 15 pages of the longest kind
SOURCES_PAUSE_S: Final = 1.0  # between the end of one URL of a host and the start of the next

# --- links and gate
MAX_DRAFT_CHARS: Final = 200_000  # a page a model writes has a few thousand
MAX_STORE_BYTES: Final = 4_000_000
MAX_ANSWER_BYTES: Final = 20_000_000  # a provider's response with the documents it fetched
MAX_STORE_ITEMS: Final = 1_000  # a prompt holds every one of them
MAX_QUESTION_CHARS: Final = 20_000  # the prompt of `gate run`, without the pages
MAX_MODEL_INPUT_CHARS: Final = 200_000  # of all pages an answer rests on; each gets an equal share
MODEL_ANSWER_S: Final = 180.0  # from pages to answer
MAX_JOB_S: Final = 900.0  # one `gate run`: fifteen fetches, a check of the client and an answer
MAX_SIDE_MESSAGE_BYTES: Final = 4_000_000  # between a job and the processes it forked itself
RETRY_FIRST_S: Final = 3_600.0  # until a job without an answer is due again; doubled each time
RETRY_LAST_S: Final = 86_400.0

# --- files
MAX_RECORD_BYTES: Final = 32_000_000  # a record read back (show, --from, gate); MAX_LINKS long rows are the largest
MAX_LOCAL_FILE_BYTES: Final = MAX_PDF_BYTES  # sanitize FILE
