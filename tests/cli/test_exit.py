import gc

import pytest
from click.testing import CliRunner

from thresher import errors
from thresher.cli import exit as ending
from thresher.cli.main import COMMANDS, ELSEWHERE, cli
from thresher.cli.option_table import OPTIONS
from thresher.errors import keyword


def ending_with(problem: BaseException, monkeypatch: pytest.MonkeyPatch, *args: str) -> tuple[int, str, str]:
    def fail(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr("thresher.examples.example_bytes", fail)
    result = CliRunner().invoke(cli, [*args, "example", "-o", "-"])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("problem", "code", "line"),
    [
        (errors.InputError("row 3 is bad"), 2, "thresher: row 3 is bad.\n"),
        (
            errors.OptionError(keyword("level", "2") + ": no"),
            2,
            "thresher: --level 2: no.\nTry 'thresher example --help'.\n",
        ),
        (errors.MissingDependencyError("it needs polars"), 2, "thresher: it needs polars.\n"),
        (PermissionError(13, "Permission denied", "a.csv"), 2, "thresher: 'a.csv': Permission denied.\n"),
        (
            MemoryError("Unable to allocate 7.45 GiB for an array"),
            2,
            "thresher: this needs more memory than there is (Unable to allocate 7.45 GiB for an array): use fewer rows "
            "or models at a time, or a larger machine.\n",
        ),
        (
            MemoryError(),
            2,
            "thresher: this needs more memory than there is: use fewer rows or models at a time, or a larger "
            "machine.\n",
        ),
        (KeyboardInterrupt(), 130, "thresher: interrupted\n"),
        (BrokenPipeError(32, "Broken pipe"), 0, ""),
    ],
)
def test_the_exit_code_and_the_one_line(
    problem: BaseException, code: int, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ending_with(problem, monkeypatch) == (code, "", line)


@pytest.mark.parametrize("problem", [ValueError("two\nlines"), EOFError("cut short"), AssertionError()])
def test_a_crash_is_one_line_and_code_70(problem: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = ending_with(problem, monkeypatch)
    assert (code, out, err.count("\n")) == (ending.CRASH, "", 1)
    assert err.startswith(f"thresher: crashed: {type(problem).__name__}: ")
    assert "--debug" in err


def test_debug_shows_the_traceback_and_keeps_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    for args in (["--debug"], []):
        code, _, err = ending_with(ValueError("boom"), monkeypatch, *args)
        assert code == ending.CRASH
        assert ("Traceback" in err) == bool(args)


def test_debug_is_taken_after_the_subcommand_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.examples.example_bytes", lambda _name: 1 / 0)
    result = CliRunner().invoke(cli, ["example", "--debug", "-o", "-"])
    assert result.exit_code == ending.CRASH
    assert "ZeroDivisionError" in result.stderr
    assert "Traceback" in result.stderr


def test_without_a_word_it_shows_its_help_and_code_2() -> None:
    result = CliRunner().invoke(cli, [])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[0].endswith("[OPTIONS] COMMAND [ARGS]...")
    assert "thresher example" in result.stderr


def test_a_file_in_place_of_a_command_is_code_2_with_where_help_is() -> None:
    result = CliRunner().invoke(cli, [__file__])
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"No such command {__file__!r}. A file is evaluated by `thresher report FILE`." in result.stderr
    assert "--help'." in result.stderr.splitlines()[-1]


def test_other_names_lead_to_options_and_commands_that_there_are() -> None:
    commands = {name: cli.get_command(None, name) for name in COMMANDS}  # type: ignore[arg-type]
    assert {advice.split("`")[1].split()[1] for advice in ELSEWHERE.values()} <= set(commands)
    assert not {word for words in ELSEWHERE for word in words.split()} & set(commands)
    for name, command in commands.items():
        own = {text for parameter in command.params for text in parameter.opts}
        for row in (OPTIONS[each.name] for each in command.params if each.name in OPTIONS):
            for other in set(row.elsewhere.split()) - own:
                error = CliRunner().invoke(cli, [name, other, "x"]).stderr
                assert error.startswith(f"thresher: No such option '{other}'. Did you mean {row.flag}?"), error


def test_models_are_fitted_with_the_usual_search_for_garbage(run) -> None:  # type: ignore[no-untyped-def]
    usual = gc.get_threshold()
    gc.set_threshold(10 * usual[0])
    try:
        assert run("assess", "none.csv", "--label", "y", "--estimator", "no.such:Model()").code == 2
        assert gc.get_threshold() == usual
    finally:
        gc.set_threshold(*usual)
