"""Bootstrap and jackknife of scored rows: samples, statistics and limits."""
