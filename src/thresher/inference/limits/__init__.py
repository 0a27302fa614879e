"""Parts of limits: the delta method, the spread of a sum over rows, and Student's quantiles."""
