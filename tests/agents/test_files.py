"""Whole or not at all."""

import pytest

from agents.files import write_atomically


def test_writing_is_all_or_nothing(tmp_path):
    target = tmp_path / "deep" / "file"

    def fail(path):
        path.write_text("half")
        raise RuntimeError("cut off")

    with pytest.raises(RuntimeError):
        write_atomically(target, fail)
    assert list(target.parent.iterdir()) == []


def test_anybody_may_read_what_is_written(tmp_path):
    def write(path):
        path.touch(0o600)

    write_atomically(tmp_path / "file", write)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644
