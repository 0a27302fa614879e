"""Views of an evaluation: a frozen `Document`, and renderers that read it."""
