"""Normalized spelling of measure names."""

from __future__ import annotations

from functools import lru_cache

_SIGNED = {"lr+": "lr plus", "lr-": "lr minus", "lr−": "lr minus"}
"""Names that end in a sign, which no attribute can."""

_LETTERS = str.maketrans({" ": "_", "-": "_", "–": "_", "'": "", "’": ""})


@lru_cache(maxsize=1 << 12)
def spelling(name: str) -> str:
    """Normalize a name as in the registry: small letters, underscores in place of blanks and hyphens.

    >>> spelling("Youden's J"), spelling("F1-score"), spelling("LR+")
    ('youdens_j', 'f1_score', 'lr_plus')
    """
    plain = name.strip().lower()
    return _SIGNED.get(plain, plain).translate(_LETTERS)
