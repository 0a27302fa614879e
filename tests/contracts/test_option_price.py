"""An option is added in a copy of the package: one row of the table, and the command that reads it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import thresher

SOURCE = Path(thresher.__file__).parent
ROW = """
        "shade": Option("--shade", whole_number("a shade", least=1), default=3, keyword="shades", elsewhere="--tint",
            help="How dark."),
"""
CALL = 'def doctor(args: Arguments) -> int:\n    write_text(f"shade {args.shade + 1}")\n'
SENTENCE = """
from thresher.cli.exit import as_flags
from thresher.errors import keyword
print(as_flags("give " + keyword("shades", "2") + "."))
"""
EDITS = {
    "cli/option_table.py": (('    "General": {\n', '    "General": {' + ROW),),
    "cli/doctor.py": (('@command("")', '@command("shade")'), ("def doctor(_args: Arguments) -> int:\n", CALL)),
}


def test_an_option_is_one_row_and_the_command_that_reads_it(tmp_path: Path) -> None:
    shutil.copytree(SOURCE, tmp_path / "thresher", ignore=shutil.ignore_patterns("__pycache__", "native"))
    for place, edits in EDITS.items():
        file = tmp_path / "thresher" / place
        text = file.read_text(encoding="utf-8")
        for before, after in edits:
            assert before in text
            text = text.replace(before, after)
        file.write_text(text, encoding="utf-8")

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words], capture_output=True, text=True, check=False, cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONUTF8": "1"},
        )  # fmt: skip
        return done.stdout + done.stderr

    doctor = ("-m", "thresher", "doctor")
    assert "--shade N   How dark.  [default: 3]" in run(*doctor, "--help")
    assert "shade 8" in run(*doctor, "--shade", "7")
    assert "'0' is not a shade, a whole number of at least 1." in run(*doctor, "--shade", "0")
    assert "No such option '--tint'. Did you mean --shade?" in run(*doctor, "--tint", "4")
    assert run("-c", SENTENCE) == "give --shade 2.\n"
