"""A service at an address, as a program that plays by the public API asks it; the standard library is all it needs."""

from __future__ import annotations

import contextlib
import json
import secrets
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any

Json = dict[str, Any]

PAUSES = (0.5, 1.0, 2.0, 4.0)  # seconds before each repeat of a request whose answer did not come
# No answer, no JSON, or not such an object.
UNREADABLE = (OSError, HTTPException, ValueError, RecursionError, TypeError, AttributeError)


class OfNoUse(Exception):
    """There is no service, or no such game, to play at; `code` is that of the service's problem, if it told one."""

    code: str | None = None


class Refused(OfNoUse):
    """The service's problem in its own words."""

    def __init__(self, problem: Json) -> None:
        flaws = [f"{flaw.get('pointer')}: {flaw.get('detail')}" for flaw in problem.get("errors", ())]
        super().__init__(" ".join([f"{problem.get('title', 'Refused')}. {problem.get('detail', '')}", *flaws]))
        self.code = problem.get("code")


class Service:
    """The API at an address. A request whose answer is lost is sent again: its key makes sure that it counts once."""

    def __init__(self, url: str, token: str | None) -> None:
        self.url, self.token = url.rstrip("/").removesuffix("/v1"), token

    def ask(self, method: str, path: str, body: Json | None = None, pauses: tuple[float, ...] = PAUSES) -> Json:
        """The answer's JSON. Raises Refused, OfNoUse."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        headers |= {"Idempotency-Key": secrets.token_hex(16)} if method == "POST" else {}
        data, failure = None if body is None else json.dumps(body).encode(), OfNoUse()
        for pause in (0.0, *pauses):
            time.sleep(pause)
            try:
                request = urllib.request.Request(self.url + path, data, headers, method=method)  # noqa: S310 - http(s)
                with urllib.request.urlopen(request, timeout=40) as answer:  # noqa: S310
                    return dict(json.load(answer))
            except urllib.error.HTTPError as error:
                failure = self._problem(error)
                if error.code != 503 and isinstance(failure, Refused):
                    raise failure from error
            except UNREADABLE as error:
                failure = self._nobody(getattr(error, "reason", error))
        raise failure

    def _problem(self, error: urllib.error.HTTPError) -> OfNoUse:
        if error.headers.get_content_type() == "application/problem+json":
            with contextlib.suppress(*UNREADABLE):
                return Refused(json.load(error))
        return self._nobody(f"{error.code} {error.reason}")

    def _nobody(self, why: object) -> OfNoUse:
        return OfNoUse(f"No Crisps! service answers at {self.url}: {why}")
