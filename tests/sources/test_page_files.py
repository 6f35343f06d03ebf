from __future__ import annotations

import pytest

from nlweb_ask.sources.page_files import MissingFolder, PageFiles


def test_a_folder_that_cannot_be_listed_is_an_error_and_never_an_empty_one(tmp_path):
    files = PageFiles(tmp_path / "gone", suffixes=(".md",), excluded=())
    with pytest.raises(MissingFolder, match="gone cannot be read"):
        list(files.names())
