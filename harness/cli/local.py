"""`parley local`: a local model that stays, for tournaments that name it by its address."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any

import click

from harness.cli.options import Whole
from harness.cli.output import say

if TYPE_CHECKING:
    from harness.local import LocalServer

KEY = "PARLEY_LOCAL_KEY"
"""The environment variable that holds the server's key; set before the start, its value is taken."""


@click.command(short_help="Start a local model and keep it running.")
@click.option(
    "--model",
    metavar="MODEL",
    default="local/smollm2",
    show_default=True,
    help="local/smollm2, or local:/path/to/model.gguf.",
)
@click.option("--port", type=Whole(1, 65535), metavar="N", help="The port to listen on.  [default: a free one]")
@click.option("--fetch", is_flag=True, help="Only fetch the weights of local/smollm2 (93 MB, once), then end.")
def command(model: str, port: int | None, fetch: bool) -> None:
    """Start a local model on this machine's loopback address, print the lines that put it into a tournament file, and
    serve until Ctrl-C or SIGTERM, either of which is its ordinary end (exit status 0).

    A tournament that names the model itself (`model: local/smollm2`) needs none of this: its run starts the server.
    The key is a new one each time, unless PARLEY_LOCAL_KEY is set in the environment.
    """
    if fetch:
        _fetch()
        return
    from harness.local import LocalServer

    stop = threading.Event()

    def asked_to_stop(*_: Any) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, asked_to_stop)
    with LocalServer.start(model, port=port or 0, api_key=os.environ.get(KEY)) as server:
        if not stop.is_set():
            _introduce(server)
        stop.wait()
    say("Stopped.")


def _fetch() -> None:
    from harness.weights import SMOLLM2, LocalModelError, weights

    try:
        path = weights(offline=True)
    except LocalModelError:
        say(f"Fetching the weights of {SMOLLM2.title} (93 MB, once)")
        path = weights()
    say(f"The weights of {SMOLLM2.title} are in {path}")


def _introduce(server: LocalServer) -> None:
    say(f"Serving {server.path.name} at {server.api_base} until Ctrl-C. In the shell that runs the tournament:")
    # Plain echo, here and below: what is to be copied must not be folded to the terminal's width.
    click.echo(f"\n  export {KEY}={server.api_key}\n")
    say("In the tournament file:")
    click.echo(
        "\nplayers:\n"
        f"  - label: {server.name}\n"
        f"    model: openai/{server.name}\n"
        f'    api_base: "{server.api_base}"\n'
        f"    api_key_env: {KEY}\n"
        "    price: free\n"
        "    params: {temperature: 0.8, max_tokens: 300}\n"
    )
