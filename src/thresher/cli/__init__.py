"""The command `thresher`: it reads options, calls the library and prints; the numbers are made elsewhere."""

from __future__ import annotations

import atexit
import gc
import sys

NEW = 200_000
"""Objects between two garbage collections: more than the loading of modules makes, which leaves no garbage."""

_USUAL = gc.get_threshold()


def search_as_usual() -> None:
    """Collect garbage as often as Python does by itself, as models of other libraries may leave much."""
    gc.freeze()  # else the next collection would search all objects until now, a tenth of a small report's time
    gc.unfreeze()  # into the oldest generation
    gc.set_threshold(*_USUAL)


def main() -> None:
    """Run the command with the arguments of this process, then exit."""
    gc.set_threshold(NEW)
    try:
        from thresher.cli.main import cli

        cli()
    except KeyboardInterrupt:  # before the command's own handling is in place
        sys.stderr.write("thresher: interrupted\n")
        sys.exit(130)
    finally:
        search_as_usual()
        atexit.register(_leave)


def _leave() -> None:
    """Let the process end without a last search for garbage, unless DuckDB wants all of its objects to be found."""
    if "duckdb" not in sys.modules:
        gc.freeze()
