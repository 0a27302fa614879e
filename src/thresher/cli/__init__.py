"""The command `thresher`: it reads options, calls the library and prints; the numbers are made elsewhere."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command with the arguments of this process, then exit."""
    try:
        from thresher.cli.main import cli

        cli()
    except KeyboardInterrupt:  # before the command's own handling is in place
        sys.stderr.write("thresher: interrupted\n")
        sys.exit(130)
