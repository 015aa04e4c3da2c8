"""Which media type a request wants (RFC 9110, section 12.5.1)."""

from __future__ import annotations

from flask import request
from werkzeug.datastructures import MIMEAccept


def preferred(*offered: str) -> str | None:
    """The one of these that the Accept header likes best, the first without a header; None: it likes none of them.

    Parameters are passed over: who asks for `application/json; charset=utf-8` takes application/json.
    """
    if not request.accept_mimetypes:
        return offered[0]
    wanted = [(one.partition(";")[0].strip(), quality) for one, quality in request.accept_mimetypes]
    return MIMEAccept(wanted).best_match(offered)
