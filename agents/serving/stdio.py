"""Requests as JSON lines on one stream, answers on another: docs/serving.md."""

from typing import Any, BinaryIO

import msgspec

from agents.serving.requests import ERRORS, request_id
from agents.serving.service import Service, error_answer
from jo_env.fields import Json

MAX_LINE = 256 * 1024  # bytes; a view with a long history has about 20 kB


def serve_stdio(service: Service, lines: BinaryIO, out: BinaryIO) -> None:
    """Answer every line, in order, until `stop` or the end of the input, or nobody reads the answers."""
    while line := lines.readline(MAX_LINE):
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
