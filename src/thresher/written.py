"""Numbers as people write them."""

from __future__ import annotations


def share_or_number(text: str) -> float:
    """Number from text; a percentage is a share.

    Raises:
        ValueError: the text is neither.

    >>> share_or_number("0.25"), share_or_number("99%"), share_or_number("5 %")
    (0.25, 0.99, 0.05)
    """
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)
