"""Every test of an engine runs in a directory of its own, and reads files of any size as large ones are read."""

import pytest

from thresher.readers import csv_files


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(csv_files, "MOST", 0)
