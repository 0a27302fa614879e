"""What commands print and refuse, in whole texts: rewritten when it is run as a program.

`commands.txt` is a list of sessions, each under a heading: the files that there are, then calls and what they print.
"""

from pathlib import Path

import pytest

from sessions import played

FILE = Path(__file__).parent / "commands.txt"
SESSIONS = {part.partition("\n")[0]: part.partition("\n")[2] for part in FILE.read_text("utf-8").split("\n# ")[1:]}


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_is_as_it_was_approved(name):
    assert played(SESSIONS[name]).strip() == SESSIONS[name].strip()


if __name__ == "__main__":
    found = [f"# {name}\n{played(session).strip()}\n" for name, session in SESSIONS.items()]
    FILE.write_text("\n" + "\n".join(found), "utf-8")
