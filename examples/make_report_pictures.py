"""Make the pictures of the report that stand in the README and in the documentation.

Run from the root of the repository, with Playwright and a Chromium (CHROMIUM names another than the system's):

    python examples/make_report_pictures.py
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import thresher as th

IMAGES = Path(__file__).parent.parent / "docs" / "images"
MODELS = ("logistic_regression", "random_forest", "naive_bayes")
SIZE = {"width": 1280, "height": 800}


def main() -> None:
    """Write the first screen of the report, and its explorer."""
    from playwright.sync_api import sync_playwright

    rows = th.load_example("breast_cancer")
    evaluation = th.evaluate(rows, MODELS, label="diagnosis", positive="malignant", by="nucleus_size")
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "report.html"
        evaluation.report(page_file, title="Breast cancer: malignant or benign")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        page.goto(page_file.as_uri())
        page.screenshot(path=IMAGES / "report.png")
        page.click("#pick-1")
        page.fill('[data-explore="fn"]', "20")
        page.click("#model-1 [data-cheapest]")
        page.evaluate("document.querySelector('.explorer .tabs').scrollIntoView({behavior: 'instant'})")
        page.wait_for_timeout(200)
        page.screenshot(path=IMAGES / "explorer.png")
        browser.close()


if __name__ == "__main__":
    main()
