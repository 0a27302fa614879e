"""HTML forms: the report as a page of its own, and fragments for notebooks."""
