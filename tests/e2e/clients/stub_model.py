"""A scripted stand-in for a model service, so that real agent clients run without a model and without the internet.

It listens on 127.0.0.1 and serves any number of runs at once: the first component of a request's path names the run, whose
script is FOLDER/RUN.json and whose log, one request a line, is FOLDER/RUN.jsonl. A log entry holds `method`, `path`, `body`
(the whole request), and for a turn of the conversation `tools` (names offered), `step`, `results` (text of every tool result
so far) and `answer`. The port is written to FOLDER/port.

python -m tests.e2e.clients.stub_model FOLDER
"""

import json
import sys
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.e2e.clients import stub_dialects as dialects
from tests.e2e.clients.stub_script import Answer, Turn, choose

MAX_REQUESTS = 200  # of one run: ends a client that would ask for ever
_READERS = {
    "/v1/messages": dialects.read_anthropic,
    "/v1/responses": dialects.read_responses,
    "/v1/chat/completions": dialects.read_chat,
}


class StubServer(ThreadingHTTPServer):
    """Answers every request below /RUN/ with the next step of that run's script."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder = folder
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answer(self, run: str, turn: Turn) -> Answer:
        if self._counts.get(run, 0) >= MAX_REQUESTS:
            return Answer("too many requests", [])
        return choose(json.loads((self.folder / f"{run}.json").read_bytes()), turn)

    def record(self, run: str, entry: dict[str, Any]) -> None:
        with self._lock, open(self.folder / f"{run}.jsonl", "a", encoding="utf-8") as log:
            self._counts[run] = self._counts.get(run, 0) + 1
            log.write(json.dumps(entry, ensure_ascii=False) + "\n")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StubServer

    def log_message(self, *_: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._record({})
        self._send_json({})

    def do_GET(self) -> None:
        self._record({})
        models = self._path.rstrip("/").endswith("/models")
        self._send_json({"object": "list", "data": [{"id": "stub", "object": "model"}], "models": []} if models else {})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = {"unreadable": raw.decode("utf-8", "replace")}
        reader = _READERS.get(self._path)
        if self._path.endswith(("GenerateContent", ":generateContent")):
            reader = dialects.read_gemini
        if reader is None:
            self._record({"body": body})
            self._send_json({"input_tokens": 10, "totalTokens": 10})
            return
        turn = reader(body)
        answer = self.server.answer(self._run, turn)
        self._record({"body": body, "tools": turn.tools, "step": turn.step, "results": turn.results, "answer": answer})
        self._reply(body, answer)

    def _reply(self, body: dict[str, Any], answer: Answer) -> None:
        model = str(body.get("model") or "stub")
        if self._path == "/v1/messages":
            message = dialects.anthropic_message(model, answer)
            self._send_events(dialects.anthropic_events(message)) if body.get("stream") else self._send_json(message)
        elif self._path == "/v1/responses":
            self._send_events(dialects.responses_events(model, answer))
        elif self._path == "/v1/chat/completions":
            self._send_events(dialects.chat_events(model, answer))
        elif self._path.endswith(":streamGenerateContent"):
            self._send_events([(None, dialects.gemini_body(answer))])
        else:
            self._send_json(dialects.gemini_body(answer))

    @property
    def _run(self) -> str:
        return self.path.split("/", 2)[1]

    @property
    def _path(self) -> str:
        return "/" + self.path.split("?")[0].split("/", 2)[-1]

    def _record(self, entry: dict[str, Any]) -> None:
        self.server.record(self._run, {"method": self.command, "path": self._path} | entry)

    def _send_json(self, value: Any) -> None:
        self._send("application/json", json.dumps(value).encode())

    def _send_events(self, events: Iterable[dialects.Event]) -> None:
        lines = []
        for name, data in events:
            head = f"event: {name}\n" if name else ""
            lines.append(f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
        self._send("text/event-stream", "".join(lines).encode())

    def _send(self, content_type: str, payload: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(payload)


def main(folder: Path) -> None:
    server = StubServer(folder)
    partial = folder / "port.new"
    partial.write_text(str(server.server_address[1]))
    partial.rename(folder / "port")
    server.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
