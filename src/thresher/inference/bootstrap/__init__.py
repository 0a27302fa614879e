"""Bootstrap and jackknife of the rows of a score: what is drawn, what is repeated, and the limits."""
