"""The goldens beside this file: see signatures.py."""

from __future__ import annotations

import pytest

from tests.ai.signatures import HERE, baselines, signature


@pytest.mark.jit
def test_the_search_answers_what_its_signature_says() -> None:
    assert signature() == (HERE / "signature.txt").read_text()


def test_the_baselines_answer_what_they_have_always_answered() -> None:
    assert baselines() == (HERE / "baselines.txt").read_text()
