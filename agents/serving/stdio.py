"""Requests as JSON lines on one stream, answers on another: docs/serving.md."""

import signal
import threading
from typing import Any, BinaryIO

import msgspec

from agents.serving.requests import ERRORS, request_id
from agents.serving.service import Service, error_answer
from jo_env.fields import Json

MAX_LINE = 256 * 1024  # bytes; a view with a long history has about 20 kB


class _StoppedError(Exception):
    """Asked to stop while it waited for a line."""


class _Stop:
    """SIGTERM: ends the wait for a line at once, and work only when it is done."""

    def __init__(self) -> None:
        self.is_asked = False
        self.is_waiting = False

    def ask(self, *_: Any) -> None:
        self.is_asked = True
        if self.is_waiting:
            raise _StoppedError

    def next_line(self, lines: BinaryIO) -> bytes:
        """A line of at most MAX_LINE bytes, empty at the end or when asked to stop."""
        self.is_waiting = True
        try:
            return b"" if self.is_asked else lines.readline(MAX_LINE)
        except _StoppedError:
            return b""
        finally:
            self.is_waiting = False


def serve_stdio(service: Service, lines: BinaryIO, out: BinaryIO) -> None:
    """Answer every line, in order, until `stop` or SIGTERM, the end of the input or of whoever reads."""
    stop = _Stop()
    if threading.current_thread() is threading.main_thread():
        before = signal.signal(signal.SIGTERM, stop.ask)
        try:
            _serve(service, lines, out, stop)
        finally:
            signal.signal(signal.SIGTERM, before)
    else:
        _serve(service, lines, out, stop)


def _serve(service: Service, lines: BinaryIO, out: BinaryIO, stop: _Stop) -> None:
    while line := stop.next_line(lines):
        is_whole = len(line) < MAX_LINE or line.endswith(b"\n")
        while not line.endswith(b"\n") and (rest := lines.readline(MAX_LINE)):
            line = rest  # the rest of a line too long is skipped
        if is_whole and not line.strip():
            continue
        answer, is_last = _answer(service, line) if is_whole else (_error(None, "too_large"), False)
        try:
            out.write(msgspec.json.encode(answer) + b"\n")
            out.flush()
        except BrokenPipeError:
            break
        if is_last:
            break


def _answer(service: Service, line: bytes) -> tuple[Json, bool]:
    """The answer to one line, and whether it is the last."""
    try:
        data: Any = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return _error(None, "bad_json"), False
    if not isinstance(data, dict) or "command" not in data:
        return service.answer(data), False
    given, command = request_id(data), data["command"]
    if command == "hello":
        return {"id": given, **service.hello()}, False
    if command == "ping":
        return {"id": given, "pong": True}, False
    if command == "stop":
        return {"id": given, "stopped": True}, True
    return error_answer(given, "bad_request", "command: give hello, ping or stop", "command"), False


def _error(given: str | int | None, code: str) -> Json:
    return error_answer(given, code, ERRORS[code])
