"""How many random examples a property is tried on: by default a part, with `--hypothesis-profile=whole` all of them."""

from hypothesis import settings


def examples(whole: int) -> int:
    """The part of this many that the profile in use takes, 5 at least."""
    return min(whole, max(5, whole * settings.default.max_examples // settings.get_profile("whole").max_examples))
