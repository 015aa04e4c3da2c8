"""What the service says of itself: alive, able to serve."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from flask.views import MethodView
from flask_smorest import Blueprint

from service import __version__
from service.answers import json_response
from service.documented import Access, Answer, documented
from service.errors import NotReady
from service.fields import ResponseSchema, StrictString
from service.parsing import accepts
from service.wiring import services

if TYPE_CHECKING:
    from flask import Response

blueprint = Blueprint("service", __name__, description="Whether the service runs, for those who operate it.")

_ROOT = Path(__file__).parents[2]


class HealthSchema(ResponseSchema):
    """The process answers, and this is what it runs."""

    status = StrictString(required=True, metadata={"description": "Always so.", "enum": ["ok"]})
    version = StrictString(required=True, metadata={"description": "Of the service."})
    commit = StrictString(required=True, metadata={"description": "Commit it was built from, or `unknown`."})


class ReadinessSchema(ResponseSchema):
    """The store can keep games and the search is compiled."""

    status = StrictString(
        required=True, metadata={"description": "Always so; else there is a problem.", "enum": ["ready"]}
    )


@cache
def commit() -> str:
    """The commit this process runs: CRISPS_COMMIT, else what git says of the sources, else "unknown"."""
    given = os.environ.get("CRISPS_COMMIT", "").strip()
    if given or not (_ROOT / ".git").exists():
        return given or "unknown"
    ask = ["git", "-C", str(_ROOT), "rev-parse", "--verify", "--quiet", "HEAD"]
    try:
        found = subprocess.run(ask, capture_output=True, text=True, timeout=2, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return found.stdout.strip() or "unknown"


def _kernel_is_compiled() -> bool:
    # Imported when asked: Numba takes a while to load, and the document and the pages do not need it.
    from ai import policy  # noqa: PLC0415

    return bool(policy.is_warm())


@blueprint.route("/healthz")
class Health(MethodView):
    """/healthz."""

    @documented(
        "getHealth",
        access=Access.OPEN,
        answers={
            200: Answer(
                "Alive.",
                HealthSchema,
                {"alive": {"status": "ok", "version": "1.0.0", "commit": "unknown"}},
            )
        },
    )
    @accepts()
    def get(self) -> Response:
        """Ask whether the process is alive.

        It tells its version and the commit it was built from.
        """
        return json_response({"status": "ok", "version": __version__, "commit": commit()})


@blueprint.route("/readyz")
class Readiness(MethodView):
    """/readyz."""

    @documented(
        "getReadiness",
        access=Access.OPEN,
        answers={200: Answer("Ready.", ReadinessSchema, {"ready": {"status": "ready"}})},
        problems=("store_unavailable", "not_ready"),
    )
    @accepts()
    def get(self) -> Response:
        """Ask whether the service can play.

        It can when the store keeps games safely and the search is compiled; before that the answer is 503.
        """
        services().store.check()
        if services().searches and not _kernel_is_compiled():
            raise NotReady
        return json_response({"status": "ready"})
