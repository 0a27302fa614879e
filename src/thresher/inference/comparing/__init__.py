"""Two models by one measure: what is asked, which method answers it, and what may be concluded."""
