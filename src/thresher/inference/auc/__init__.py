"""The AUC: DeLong's variance, intervals and tests, and those by the score method, Hanley–McNeil and Mann–Whitney."""
