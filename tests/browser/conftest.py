"""One Chromium for all tests of this folder: the system's, or the one that CHROMIUM names."""

import os
import shutil

import pytest

pytest.register_assert_rewrite("page_checks", "explorer_checks")


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    assert path, "these tests need a Chromium: install one, or name it with CHROMIUM=/path/to/chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


class Opened:
    """A page with everything that went wrong in it."""

    def __init__(self, browser, path, *, folded=False, **options):
        self.context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        self.page, self.wrong = self.context.new_page(), []
        self.page.on("console", lambda message: self.wrong.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", lambda dialog: self.wrong.append(f"dialog: {dialog.message}"))
        self.requests = []
        if options.get("java_script_enabled", True):
            listen = "addEventListener('securitypolicyviolation', e => console.error('policy', e.violatedDirective))"
            self.page.add_init_script(listen)
        self.page.goto(f"file://{path}")
        if not folded:
            self.page.evaluate("document.querySelectorAll('.desk').forEach(node => { node.open = true; })")


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """Write an evaluation's report, each once: tests that ask for the same evaluation open the same file."""
    folder, known = tmp_path_factory.mktemp("pages"), {}

    def path_of(evaluation):
        if id(evaluation) not in known:
            path = folder / f"report{len(known)}.html"
            evaluation.report(path)
            known[id(evaluation)] = evaluation, path  # the evaluation stays, and with it its id
        return known[id(evaluation)][1]

    return path_of


@pytest.fixture
def opened(chromium, written):
    """Open an evaluation's report; a test ends well only when nothing went wrong in the page.

    What moves any threshold is unfolded, unless the page is to stay `folded` as a reader finds it.
    """
    pages = []

    def open_page(evaluation, **options):
        path = written(evaluation)
        found = Opened(chromium, path, **options)
        pages.append((found, path))
        return found.page

    yield open_page
    for found, path in pages:
        found.context.close()
        assert found.wrong == []
        assert found.requests == [f"file://{path}"]
