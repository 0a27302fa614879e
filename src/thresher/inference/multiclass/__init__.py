"""Several classes: their AUCs and volumes with intervals and tests, and the bootstrap of their rows."""
