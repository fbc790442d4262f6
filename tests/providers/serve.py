"""The loopback provider as a process: `python -m tests.providers.serve --port 0` prints its address and serves
until ended.

It answers each request with a legal action by a hash of the request, so that a run that is killed and gone on with ends
as one that was not. `--fail 0.3` lets that share of the requests fail, in a way and a place that the hash of the
request
and of how often it was seen decides. `--log FILE` appends a JSON line for each request.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import signal
import sys
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

from tests.providers.behaviours import (
    Answer,
    Behaviour,
    Drop,
    Handler,
    Hang,
    Raw,
    legal,
    quota_spent,
    rate_limited,
    status,
)
from tests.providers.server import Loopback, Seen

MIX: dict[str, Behaviour] = {
    "429": rate_limited("0"),
    "429-plain": rate_limited(),
    "500": status(500),
    "502": status(502),
    "503": status(503),
    "529": status(529),
    "408": status(408),
    "401": status(401),
    "404": status(404),
    "quota": quota_spent(),
    "drop": Drop("before"),
    "cut": Drop("middle"),
    "hang": Hang(),
    "not-json": Raw(b"<html>busy</html>", content_type="text/html"),
    "half-json": Raw(b'{"choices": [{"message": {"content": "{'),
    "empty": Answer(""),
    "no-choices": Answer(choices=False),
    "length": Answer('{"thoughts": "so', finish="length"),
    "filter": Answer("", finish="content_filter"),
    "refusal": Answer(None, refusal="I would rather not."),
    "prose": Answer("I will think about it."),
    "illegal": Answer('{"actions": ["fly to the moon"]}'),
}
"""Ways to fail, by the names that `--mix` takes."""
USUAL = ("429", "500", "503", "drop", "not-json", "empty", "illegal")


def handler(latency: float, share: float, names: tuple[str, ...], say: str | None) -> Handler:
    """Legal answers after `latency` seconds, and that share of failures among them."""
    times: Counter[bytes] = Counter()
    choose = legal("hash", say, delay=latency)

    def behave(seen: Seen) -> Behaviour:
        digest = hashlib.sha256(seen.raw).digest()
        times[digest] += 1
        draw = hashlib.sha256(digest + times[digest].to_bytes(4, "big")).digest()
        if int.from_bytes(draw[:4], "big") < share * 2**32:
            failing = MIX[names[int.from_bytes(draw[4:8], "big") % len(names)]]
            return failing if isinstance(failing, (Drop, Hang)) else replace(failing, delay=latency)
        return choose(seen)

    return behave


def main(arguments: list[str] | None = None) -> int:
    """Serves until SIGTERM, SIGINT or the end of standard input's other side."""
    parser = argparse.ArgumentParser(prog="python -m tests.providers.serve", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each reply")
    parser.add_argument("--fail", type=float, default=0.0, help="share of the requests that fail, 0 to 1")
    parser.add_argument("--mix", default=",".join(USUAL), help=f"ways to fail, of: {', '.join(MIX)}")
    parser.add_argument("--say", help="a message to all in every answer")
    parser.add_argument("--log", type=Path, help="file for a JSON line a request")
    options = parser.parse_args(arguments)
    names = tuple(options.mix.split(","))
    unknown = sorted(set(names) - set(MIX))
    if unknown:
        parser.error(f"--mix: {unknown[0]} is not one of {', '.join(MIX)}")
    behave = handler(options.latency, options.fail, names, options.say)

    def logged(seen: Seen) -> Behaviour:
        behaviour = behave(seen)
        if options.log is not None:
            line = {"at": seen.at, "path": seen.path, "sha256": hashlib.sha256(seen.raw).hexdigest()}
            with options.log.open("a") as file:
                file.write(json.dumps(line | {"did": type(behaviour).__name__}) + "\n")
        return behaviour

    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    with Loopback(logged, options.port) as server:
        print(server.api_base, flush=True)
        ended.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
