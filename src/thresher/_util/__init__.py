"""Helpers below all rooms: text, numbers, files, threads, frozen values, and checks of calls and options."""
