"""How sure a number is: intervals, and tests of differences. Each method is a file with its result."""
