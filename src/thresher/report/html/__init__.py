"""HTML forms of an evaluation: a page of its own, and a fragment for notebooks."""

from thresher.report.html.fragment import evaluation_fragment
from thresher.report.html.page import evaluation_page

__all__ = ["evaluation_fragment", "evaluation_page"]
