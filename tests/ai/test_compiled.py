"""Where compiled kernels are kept, and what happens when there is no such place."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ai.compiled import KERNELS, sources_digest, writable_folder
from tests.ai.moments import INTERPRETED

ROOT = Path(__file__).parents[2]


def test_the_first_writable_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    places = [tmp_path / "file" / "below", tmp_path / "new" / "folder", tmp_path]
    assert writable_folder(places) == tmp_path / "new" / "folder"
    assert writable_folder(places[:1]) is None


def test_a_change_in_any_source_file_changes_the_digest(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    first = sources_digest([tmp_path])
    (tmp_path / "a.py").write_text("2")
    second = sources_digest([tmp_path])
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    assert len({first, second, sources_digest([tmp_path])}) == 3


_WITHOUT_A_PLACE = """
import ai.compiled
ai.compiled.CACHE_FOLDER = None
import numpy as np
from ai.determinization import determinize, information_set
from ai.tables import WORDS, tables
from ai.world import WORLD, legal
from tests.ai.moments import opening
world = np.zeros(WORLD, dtype=np.int64)
determinize(information_set(opening()), world, 0)
assert legal(tables(), world, np.zeros(WORDS, dtype=np.int64)) == len(opening().legal_actions())
assert type(legal._cache).__name__ == "NullCache"
"""


@pytest.mark.jit
@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_kernels_work_where_nothing_can_be_kept() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_A_PLACE],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.jit
@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_kernels_release_the_lock_and_are_kept() -> None:
    assert KERNELS
    assert all(compiled.targetoptions["nogil"] for compiled in KERNELS)
