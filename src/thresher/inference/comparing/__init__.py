"""Two models by one measure: the question, the method and the conclusion."""
