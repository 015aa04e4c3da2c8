"""Requests with an Idempotency-Key, as the tests send them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tests.asking import Answer, Api, Json, Table

KEY: Final = "a-key-of-enough-characters"
AGAINST_AI: Final = [{"kind": "human"}, {"kind": "ai", "level": 1}]
PARALLEL: Final = 50


def send(api: Api, table: Table, action: str, body: Json, *, seat: int | None = 0, key: str = KEY) -> Answer:
    headers = {"Idempotency-Key": key}
    return api.post(f"{table.path}/{action}", body, token=table.tokens[seat], headers=headers)


def events(table: Table) -> list[Json]:
    told: list[Json] = table.api.get(f"{table.path}/history?limit=1000", token=table.tokens.get(0)).json["events"]
    return told


def no_reply(api: Api) -> tuple[Table, str, Json]:
    table = api.table().deal()
    return table, "play", {"version": table.view()["version"], "cards": ["5", "5"]}
