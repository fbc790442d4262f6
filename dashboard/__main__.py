"""`python -m dashboard run …`: Streamlit's own command line, which a Ctrl-C ends without a word."""

from __future__ import annotations

import click
from streamlit.web.cli import main

if __name__ == "__main__":
    try:
        main(prog_name="streamlit", standalone_mode=False)
    except (KeyboardInterrupt, click.Abort):
        # The server has closed its connections by now; whoever pressed the keys knows that they did.
        raise SystemExit(0) from None
    except click.ClickException as error:
        error.show()
        raise SystemExit(error.exit_code) from None
