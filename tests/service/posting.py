"""Posting to the probe API, and reading what it answers."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from service.answers import PROBLEM_JSON

if TYPE_CHECKING:
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

TOKEN = {"Authorization": "Bearer t"}


def post(
    client: FlaskClient, body: bytes, media_type: str | None = "application/json", query: str = "", **more: Any
) -> TestResponse:
    headers = {**TOKEN, **more.pop("headers", {})}
    path = f"/probe/1{query}"
    return client.post(path, data=body, content_type=media_type, headers=headers, **more)


def post_chunked(client: FlaskClient, body: bytes, media_type: str = "application/json") -> TestResponse:
    return client.post(
        "/probe/1",
        input_stream=io.BytesIO(body),
        content_type=media_type,
        headers={**TOKEN, "Transfer-Encoding": "chunked"},
        environ_overrides={"wsgi.input_terminated": True},  # as gunicorn says of what it de-chunks
    )


def content(answer: TestResponse) -> dict[str, Any]:
    body = answer.get_json()
    assert isinstance(body, dict)
    return body


def code(answer: TestResponse) -> str:
    assert answer.content_type == PROBLEM_JSON
    return str(content(answer)["code"])


def flaws(answer: TestResponse) -> dict[str, str]:
    assert code(answer) == "invalid_request"
    return {flaw.get("pointer", flaw.get("parameter")): flaw["detail"] for flaw in content(answer)["errors"]}


def understood(answer: TestResponse) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = content(answer)["body"]
    return body


# ---------------------------------------------------------------------------------- media type, size
