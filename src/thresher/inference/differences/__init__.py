"""A difference with its p value, and tests of differences that need no bootstrap."""
