"""Helpers that know nothing of the field: text, numbers, files, threads and values."""
