"""Hostile files in a process with the parser's own memory limit: each ends, in a result, a refusal or a killed process."""

import faulthandler
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

import guarded_webfetch
from guarded_webfetch.core.limits import PARSER_MEMORY_BYTES, PDF_DEADLINE_S
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.parser.pdf import parse_pdf, warm_pdf
from tests.parser.make_pdf import Pdf, line, simple
from tests.parser.test_pdf import ORDER, encrypted
from tests.parser.test_pdf_hidden import HIDDEN, VISIBLE

warm_pdf()
KILLED = {-signal.SIGABRT, -signal.SIGKILL, -signal.SIGSEGV, -signal.SIGXCPU, -signal.SIGTRAP, -signal.SIGILL}


def outcome(body):
    """What a forked and limited process says: a reason code, "text", "memory" or the negative signal that ended it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _limited(body, writer)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], PDF_DEADLINE_S + 5)
    if not ready:
        os.kill(child, signal.SIGKILL)
    said = os.read(reader, 100).decode() if ready else "hang"
    os.close(reader)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return said or status


def _limited(body, writer):
    faulthandler.disable()  # the crash is the expected end
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    memory = PARSER_MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (int(PDF_DEADLINE_S), int(PDF_DEADLINE_S)))
    try:
        parse_pdf(body, ORDER)
        said = "text"
    except Refusal as refusal:
        said = refusal.code
    except BaseException as error:
        said = type(error).__name__
    os.write(writer, said.encode())
    os._exit(0)


def nested_forms(levels, *, annotated=False):
    """Ten forms in each form: 10^levels lines of text."""
    document = Pdf()
    inner = document.stream(
        line("x"),
        b"/Type /XObject /Subtype /Form /BBox [0 0 300 200] /Resources << /Font << /F1 %d 0 R >> >>"
        % document.fonts[0],
    )
    for _ in range(levels):
        extra = b"/Type /XObject /Subtype /Form /BBox [0 0 300 200] /Resources << /XObject << /X %d 0 R >> >>" % inner
        inner = document.stream(b"/X Do " * 10, extra)
    if annotated:
        stamp = document.annotation(b"Stamp", b"0 0 300 200", b"/AP << /N %d 0 R >>" % inner)
        return document.page(line("Text"), annotations=[stamp]).build()
    return document.page(b"/X Do", resources=b"/XObject << /X %d 0 R >>" % inner).build()


def flate_twice(size):
    document = Pdf().page(line("Text"))
    bomb = zlib.compress(zlib.compress(b" " * size, 9), 9)
    stream = document.add(
        b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >>\nstream\n%s\nendstream" % (len(bomb), bomb)
    )
    document.objects[document.kids[0]] = document.objects[document.kids[0]].replace(
        b"/Contents", b"/Contents %d 0 R /Old" % stream
    )
    return document.build()


HOSTILE = {  # made when needed: some take a second
    "nested forms 10^9": lambda: nested_forms(9),
    "46 MB of text operators": lambda: simple(line("x") * (46_000_000 // len(line("x"))), flate=True),
    "Flate bomb of 400 MB": lambda: simple(b" " * 400_000_000, flate=True),
    "double Flate bomb of 200 MB": lambda: flate_twice(200_000_000),
    "a million saved states": lambda: simple(b"q " * 1_000_000 + line("x"), flate=True),
    "100,000 nested arrays": lambda: simple(b"[" * 100_000 + b"]" * 100_000 + line("x")),
    "20,000 white words": lambda: simple(line("word", before=b"1 g") * 20_000, flate=True),
    "a page of 10^8 points": lambda: simple(line("x", before=b"1 g"), box=b"0 0 100000000 100000000"),
    "10,000 texts in 10,000 marks": lambda: simple(
        b"/Span << /MCID 0 >> BDC " * 10_000 + line("word") * 10_000, flate=True
    ),
    "an annotation of nested forms 10^9": lambda: nested_forms(9, annotated=True),
    "9,000 texts, each under a box": lambda: simple((line("word") + b"0 100 300 100 re f ") * 9_000, flate=True),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_ends_within_its_limits(name):
    body = HOSTILE[name]()
    started = time.monotonic()
    said = outcome(body)
    assert said in KILLED or said in {"text", "pdf_broken", "pdf_no_text", "resource_limit", "MemoryError"}
    assert time.monotonic() - started < PDF_DEADLINE_S + 5


def test_the_limits_of_this_test_hold():
    """Without them an ordinary file is read, so the outcomes above are those of the files."""
    assert outcome(simple(line("Ordinary"))) == "text"
    assert outcome(nested_forms(2)) == "text"


READ_ALL = """
import json, resource, sys
from guarded_webfetch.core.reasons import Refusal
from guarded_webfetch.parser.pdf import parse_pdf, warm_pdf
order, bodies = json.load(sys.stdin)
warm_pdf()
seen = []
sys.addaudithook(lambda event, _: seen.append(event) if event in {"import", "open", "exec", "compile"} or
                 event.startswith(("os.", "subprocess", "socket", "ctypes.dlopen")) else None)
resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
outcomes = []
for body in bodies:
    try:
        parse_pdf(bytes.fromhex(body), order)
        outcomes.append("text")
    except Refusal as refusal:
        outcomes.append(refusal.code)
print(json.dumps([sorted(set(seen)), outcomes, sorted({"subprocess", "tempfile", "pypdfium2", "decimal"} & set(sys.modules))]))
"""


def test_nothing_is_imported_or_opened_after_warming():
    """In a fresh process that may open no file any more; the outcomes are those of an unlimited one."""
    bodies = [body for body, _ in HIDDEN.values()] + list(VISIBLE.values()) + [encrypted(), b"%PDF-1.4", simple()]
    given = json.dumps([ORDER, [body.hex() for body in bodies]])
    package = Path(guarded_webfetch.__file__).parent.parent
    run = subprocess.run(
        [sys.executable, "-c", READ_ALL], input=given, capture_output=True, text=True, check=True, timeout=60,
        env={"PYTHONPATH": str(package)},
    )  # fmt: skip
    seen, outcomes, heavy = json.loads(run.stdout)
    assert seen == [] and heavy == []
    assert outcomes == ["text"] * (len(bodies) - 3) + ["pdf_encrypted", "pdf_broken", "pdf_no_text"]
