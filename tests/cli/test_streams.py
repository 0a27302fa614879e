import pytest

from thresher.cli.streams import printable


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8", None])
def test_text_can_be_written_in_any_encoding(encoding: str | None) -> None:
    text = printable("AUC ≥ ½ ┌─┐ │ − … ∞ β² café 日本", encoding)
    assert text.encode(encoding or "ascii")


def test_what_the_encoding_has_is_kept() -> None:
    assert printable("½ │ é", "utf-8") == "½ │ é"
    assert printable("½ é", "latin-1") == "½ é"
    assert printable("│ é −", "ascii") == "| \\xe9 -"
