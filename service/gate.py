"""The gate before a game: who asks, of which game, and at which version; everything before the action itself.

Order (API.md, "Problem codes"): token present, game exists, token valid, then the body is read, then the version.
A version is told by If-Match, whose entity tags have the form "VERSION.VIEWER" (RFC 9110, section 13.1.1), or by the
body's member `version`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from flask import g, request

from engine.errors import CrispsError
from service import retries
from service.documented import Access
from service.errors import InvalidRequest, MissingToken, Refused, VersionConflict, VersionRequired
from service.opening import open_game
from service.wiring import ports

if TYPE_CHECKING:
    from engine.cards import Seat
    from service.hosted import HostedGame
    from service.opening import Opened, Outcome
    from service.retries import Answer, Once

View = TypeVar("View", bound=Callable[..., Any])

# RFC 9110, section 11.4, and RFC 6750, section 2.1; the scheme's name is not case-sensitive.
_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([A-Za-z0-9._~+/-]+=*)", re.ASCII)
# What is sent instead of a token can be nobody's; the empty string is never given out.
_NO_TOKEN = ""

# RFC 9110, section 8.8.3: an entity tag, a comma between two of them; the second branch takes what is none.
_TAG = re.compile(r'(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")(?=[ \t]*(?:,|$))|[^\s,]+')
_OUR_TAG = re.compile(r'"([1-9][0-9]{0,15})\.[^"]*"', re.ASCII)
_ANY = "*"
_NO_TAG = 'If-Match names no version of a game: it takes the ETag of a view, such as "1.0".'


def opens(access: Access) -> Callable[[View], View]:
    """Open the path's game for a view that `accepts` something, before anything of its request is read.

    The view finds the game by `opened()`. Raises MissingToken (where `access` asks for one), UnknownGame, InvalidToken;
    what the engine refuses inside the view becomes Refused, which tells the game's version.
    """

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def opening(self: Any, game_id: str, **kwargs: Any) -> Any:  # noqa: ANN401 - a view's own
            token = bearer_token()
            if token is None and access is Access.SEAT:
                raise MissingToken
            g.opened = game = open_game(ports(), game_id, token, record_name(token))
            try:
                return view(self, **kwargs)
            except CrispsError as refusal:
                raise Refused(refusal, game.hosted.version) from refusal

        return cast("View", opening)

    return decorate


def record_name(token: str | None) -> str | None:
    """The name of the record of the current request's idempotency key; None without a key, or with one out of shape."""
    if "HTTP_IDEMPOTENCY_KEY" not in request.environ or request.method != "POST":
        return None
    try:
        key = retries.key_in(idempotency_key())
    except InvalidRequest:
        return None  # refused once the body is read
    return None if key is None else retries.record_name(request.method, request.path, token, key)


def idempotency_key() -> str | None:
    """The header field as it was sent."""
    field: str | None = request.environ.get("HTTP_IDEMPOTENCY_KEY")
    return field


def once_of(answer: Callable[[Outcome], Answer]) -> Once | None:
    """What makes the current request one that takes place once; None without an idempotency key.

    Raises InvalidRequest: the key is out of shape.
    """
    key = retries.key_in(idempotency_key())
    if key is None:
        return None
    name = retries.record_name(request.method, request.path, bearer_token(), key)
    return retries.Once(name, retries.body_digest(request.get_data()), opened().hosted.version, answer)


def opened() -> Opened:
    """The game that the current request is about."""
    return cast("Opened", g.opened)


def check_version(body: Mapping[str, Any]) -> None:
    """Refuse unless the request says that it acts on the game's version.

    Raises VersionRequired (as Refused) where it says none, VersionConflict where it says another, or two.
    """
    if not _check_told_version(body):
        raise Refused(VersionRequired(), opened().hosted.version)


def check_version_if_told(body: Mapping[str, Any]) -> None:
    """Refuse if the request says that it is about another version. Raises VersionConflict."""
    _check_told_version(body)


def _check_told_version(body: Mapping[str, Any]) -> bool:
    current = opened().hosted.version
    tags = [tag for tag in _tags("HTTP_IF_MATCH") if tag != _ANY]
    told = [versions for versions in (tags and {_version(tag) for tag in tags}, _in_body(body)) if versions]
    if any(current not in versions for versions in told):
        raise VersionConflict(current, _NO_TAG if None in told[0] else None)
    return bool(told)


def _in_body(body: Mapping[str, Any]) -> set[int | None]:
    return {body["version"]} if "version" in body else set()


def _version(tag: str) -> int | None:
    ours = _OUR_TAG.fullmatch(tag)
    return int(ours[1]) if ours else None


def tag_of(hosted: HostedGame, viewer: Seat | None) -> str:
    """The entity tag of a view: the version, and 0, 1 or p (the public) for whose it is."""
    return f'"{hosted.version}.{"p" if viewer is None else viewer}"'


def is_known(tag: str) -> bool:
    """Whether If-None-Match says that the client has this view already (weak comparison)."""
    known = _tags("HTTP_IF_NONE_MATCH")
    return tag in known or _ANY in known


def _tags(field: str) -> list[str]:
    """The entity tags of a header field without their weakness mark; what is none stays as it is and equals none.

    Fields have WSGI's names here: a field that is missing costs an exception when request.headers is asked for it.
    """
    text = request.environ.get(field)
    return [match[1] or match[0] for match in _TAG.finditer(text)] if text else []


def bearer_token() -> str | None:
    """The current request's token; None without one, an impossible one for a header field that holds none."""
    given = request.environ.get("HTTP_AUTHORIZATION")
    if given is None:
        return None
    bearer = _BEARER.fullmatch(given)
    return bearer[1] if bearer else _NO_TOKEN
