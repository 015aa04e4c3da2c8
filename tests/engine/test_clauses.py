"""Every clause of the rules has a test that cites it in its name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEXT = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
NAMES = re.findall(r"^def (test_\w+)", TEXT, re.MULTILINE)


@pytest.mark.parametrize("clause", [f"R{number}" for number in range(1, 29)])
def test_the_clause_is_cited_by_a_test(clause: str) -> None:
    assert any(clause in name.split("_") for name in NAMES)
