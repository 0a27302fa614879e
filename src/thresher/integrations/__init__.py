"""Evaluations where other tools keep theirs; each module needs its own extra."""
