"""What limits are made of: the delta method, the spread of a sum over rows, and Student's quantiles."""
