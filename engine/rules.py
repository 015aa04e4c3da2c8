"""The settings of a game: edition, table options and the points to win."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import Edition
from engine.errors import InvalidRules

MAX_POINTS_TO_WIN = 99


@dataclass(frozen=True, slots=True)
class Rules:
    """How one game is played (R1, R21, R26-R28); the default is the boxed base game to three points.

    Raises InvalidRules: `points_to_win` outside 1 to 99.
    """

    edition: Edition = Edition.BOXED
    crisps_in_runs: bool = False
    no_face_up_draw: bool = False
    automatic_turn_skip: bool = False
    points_to_win: int = 3

    def __post_init__(self) -> None:
        if not 1 <= self.points_to_win <= MAX_POINTS_TO_WIN:
            raise InvalidRules(f"points_to_win is 1 to {MAX_POINTS_TO_WIN}, not {self.points_to_win}")
