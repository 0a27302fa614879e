"""What commands print and refuse, in whole texts: rewritten when it is run as a program.

`commands.txt` has the files that several sessions read, then sessions, each under a heading: files, calls and what they
print.
"""

from pathlib import Path

import pytest

from sessions import contents, played

FILE = Path(__file__).parent / "commands.txt"
FILES, *SESSIONS = FILE.read_text("utf-8").split("\n# ")
SHARED = contents(FILES, {})
SESSIONS = {part.partition("\n")[0]: part.partition("\n")[2] for part in SESSIONS}


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_is_as_it_was_approved(name):
    assert played(SESSIONS[name], SHARED).strip() == SESSIONS[name].strip()


if __name__ == "__main__":
    found = [f"# {name}\n{played(session, SHARED).strip()}\n" for name, session in SESSIONS.items()]
    FILE.write_text("\n".join([FILES, *found]), "utf-8")
