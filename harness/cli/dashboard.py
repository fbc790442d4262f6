"""`parley dashboard`: the pages, on this machine alone."""

from __future__ import annotations

import os
import socket
import sys

import click

from harness.cli.options import Whole, database

ADDRESS = "127.0.0.1"

CONFIG: dict[str, str] = {
    "server.address": ADDRESS,
    "server.fileWatcherType": "none",
    "server.showEmailPrompt": "false",
    "browser.gatherUsageStats": "false",
    "browser.serverAddress": ADDRESS,
    "client.toolbarMode": "minimal",
    "client.showErrorDetails": "none",
    "global.developmentMode": "false",
    "logger.hideWelcomeMessage": "true",
}
"""What the web server is told, whatever its own configuration files say."""


@click.command(short_help="Open the dashboard on this machine's loopback address.")
@database
@click.option(
    "--port", type=Whole(1, 65535), metavar="N", default=8501, show_default=True, help="The port to listen on."
)
@click.option(
    "--browser/--no-browser", default=False, help="Open a browser window too, or only print the address (the default)."
)
def command(db: str | None, port: int, browser: bool) -> None:
    """Serve the dashboard on 127.0.0.1 until Ctrl-C. It only reads, sends nothing anywhere and asks nothing."""
    from importlib.util import find_spec

    found = find_spec("dashboard")
    if found is None or not found.submodule_search_locations:
        raise click.ClickException("the dashboard is not installed beside this command")
    app = os.path.join(found.submodule_search_locations[0], "app.py")  # noqa: PTH118
    _check_free(port)
    environment = {**os.environ, "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false"}
    if db is not None:
        environment["PARLEY_DB"] = db
    settings = {**CONFIG, "server.port": str(port), "server.headless": "false" if browser else "true"}
    flags = [f"--{key}={value}" for key, value in settings.items()]
    click.echo(f"Dashboard: http://{ADDRESS}:{port}  (Ctrl-C stops it)")
    sys.stdout.flush()
    # The server takes this process's place: a signal reaches it directly, and nothing is left behind.
    os.execve(sys.executable, [sys.executable, "-m", "dashboard", "run", app, *flags], environment)  # noqa: S606


def _check_free(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
        except OSError as error:
            why = "is in use" if error.errno == 98 else f"cannot be used: {error.strerror}"
            raise click.UsageError(f"--port {port} {why}; name another, as --port {port % 65535 + 1}") from None
