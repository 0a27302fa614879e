"""What a paper reports: numbers are those of the library, and only who asks for it gets it."""

from report_cases import case


def test_a_style_is_of_two_classes_and_has_a_name(tmp_path):
    case("plain").report(tmp_path / "a.txt", style="paper")
    assert "For a paper" in (tmp_path / "a.txt").read_text("utf-8")
