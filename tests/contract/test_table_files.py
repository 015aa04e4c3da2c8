"""The table's files by themselves: small, served as they are, naming nobody else, and at home in the public API."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from service.app import create_app
from service.config import Config
from service.problems import KINDS
from service.table import POLICY
from tests.running import ROOT

if TYPE_CHECKING:
    from flask.testing import FlaskClient

FOLDER = ROOT / "service/pages/play"
FILES = sorted(path.name for path in FOLDER.iterdir())
MODULES = [name for name in FILES if name.endswith(".js")]
SOURCES = {name: (FOLDER / name).read_text() for name in FILES}
TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8"}
FIRST_LOAD_BYTES = 150_000
HEADER_BYTES = 700  # of one answer, and more than that
LONGEST = 300
NOTHING = "default-src 'none'; frame-ancestors 'none'"
OWN_NAMESPACE = "http://www.w3.org/2000/svg"
# What a table that works as meant is never answered; the rest has words of its own.
TECHNICAL = {
    "expectation_failed",
    "headers_too_large",
    "request_timeout",
    "unsupported_transfer_coding",
    "uri_too_long",
    "malformed_json",
    "bad_request",
    "not_found",
    "method_not_allowed",
    "not_acceptable",
    "payload_too_large",
    "unsupported_media_type",
    "version_required",
}


@pytest.fixture(name="client", scope="module")
def _client() -> FlaskClient:
    return create_app(Config.from_env({})).test_client()


@pytest.fixture(name="document", scope="module")
def _document(client: FlaskClient) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(client.get("/openapi.json").data)
    return document


def address(name: str) -> str:
    return "/play" if name == "index.html" else f"/play/{name}"


def imported(name: str) -> set[str]:
    """The modules that a module cannot begin without."""
    return set(re.findall(r'^import (?:.* from )?"\./([\w-]+\.js)";$', SOURCES[name], re.MULTILINE))


def needed(*names: str) -> set[str]:
    """These modules and all that they cannot begin without."""
    found, new = set[str](), set(names)
    while new:
        found |= new
        new = {other for name in new for other in imported(name)} - found
    return found


def loaded_later(name: str) -> set[str]:
    """The modules that a module loads when they are wanted."""
    return set(re.findall(r'import\("\./([\w-]+\.js)"\)', SOURCES[name]))


# ---------------------------------------------------------------------------------------------------- as served
@pytest.mark.parametrize("name", FILES)
def test_each_file_is_served_whole_with_its_type_and_the_strict_policy(client: FlaskClient, name: str) -> None:
    answer = client.get(address(name))
    assert (answer.status_code, answer.text) == (200, SOURCES[name])
    assert answer.content_type == TYPES[name.rsplit(".", 1)[1]]
    # a file opened as a page of its own may load nothing at all
    assert answer.headers["Content-Security-Policy"] == (POLICY if name == "index.html" else NOTHING)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("name", FILES)
def test_a_file_known_already_is_not_sent_again(client: FlaskClient, name: str) -> None:
    tag = client.get(address(name)).headers["ETag"]
    again = client.get(address(name), headers={"If-None-Match": tag})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert client.get(address(name), headers={"If-None-Match": '"other"'}).status_code == 200


def test_the_policy_lets_only_the_service_in() -> None:
    told = dict(part.strip().split(" ", 1) for part in POLICY.split(";"))
    assert told == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }


@pytest.mark.parametrize("name", ["nope.js", "index.html", "..%2fdocs.html", "%2e%2e", ".", "play.css.map", "main.js/"])
def test_nothing_else_is_served_and_the_refusal_is_a_problem(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/play/{name}")
    assert (answer.status_code, json.loads(answer.data)["code"]) == (404, "not_found")
    assert answer.content_type == "application/problem+json"


def test_the_page_is_in_one_place_only(client: FlaskClient) -> None:
    answer = client.get("/play/")
    assert (answer.status_code, answer.headers["Location"]) == (308, "../play")
    assert client.post("/play").status_code == 405


def test_the_page_and_its_files_are_found_behind_a_prefix() -> None:
    named = re.findall(r'(?:src|href)="([^"]+)"', SOURCES["index.html"])
    assert len(named) > 10
    assert [name for name in named if name.startswith("/") or ":" in name] == []
    assert 'new URL(".", document.baseURI)' in SOURCES["main.js"]


# ---------------------------------------------------------------------------------------------------- size
@pytest.mark.parametrize("screen", ["start.js", "table.js"])
def test_the_first_load_is_small_without_any_compression(client: FlaskClient, screen: str) -> None:
    modules = needed("main.js", screen, *(["game.js"] if screen == "table.js" else []))
    paths = [address(name) for name in ("index.html", "play.css", *sorted(modules))]
    sizes = {path: len(client.get(path).data) for path in [*paths, "/docs/favicon.svg", "/v1/levels"]}
    total = sum(sizes.values()) + HEADER_BYTES * len(sizes)
    assert total < FIRST_LOAD_BYTES, sorted(sizes.items(), key=lambda item: -item[1])


def test_the_page_asks_at_once_for_all_modules_it_begins_with() -> None:
    preloaded = re.findall(r'rel="modulepreload" href="play/([^"]+)"', SOURCES["index.html"])
    assert sorted([*preloaded, "main.js"]) == sorted(needed("main.js"))


def test_every_module_is_used() -> None:
    reached, new = set[str](), {"main.js"}
    while new:
        reached |= new
        new = {other for name in needed(*new) for other in {name} | loaded_later(name)} - reached
    assert reached == set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_no_module_is_longer_than_its_noun_deserves(name: str) -> None:
    assert len(SOURCES[name].splitlines()) <= LONGEST


# ---------------------------------------------------------------------------------------------------- manners
@pytest.mark.parametrize("name", FILES)
def test_no_file_names_another_host(name: str) -> None:
    assert set(re.findall(r"(?:[a-z]+:)?//[\w.]+[^\s\"'`]*", code_of(name), re.ASCII)) <= {OWN_NAMESPACE}


def code_of(name: str) -> str:
    """A file without its comments."""
    return re.sub(r"(?<![:\"'])//(?= ).*|/\*.*?\*/", "", SOURCES[name], flags=re.DOTALL if name.endswith("css") else 0)


@pytest.mark.parametrize("name", MODULES)
def test_no_text_can_become_markup_or_code(name: str) -> None:
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|setAttribute\(\"(?:on|style)"
    )
    assert re.findall(forbidden, SOURCES[name]) == []


def test_only_the_page_of_the_api_asks_and_only_the_stream_listens() -> None:
    assert {name for name in MODULES if re.search(r"\bfetch\(", SOURCES[name])} == {"api.js"}
    assert {name for name in MODULES if "EventSource(" in SOURCES[name]} == {"live.js"}


def test_whoever_designed_the_game_is_named() -> None:
    assert "Shreesh Bhat" in SOURCES["texts.js"]
    assert "Sean Ross" in SOURCES["texts.js"]


# ---------------------------------------------------------------------------------------------------- texts
def keys() -> list[str]:
    found = re.findall(r'^  "?([\w.]+)"?: |(?<=, )"([\w.]+)": ', SOURCES["texts.js"], re.MULTILINE)
    return [one or other for one, other in found]


def wanted() -> list[re.Pattern[str]]:
    """A pattern for every key that some module asks for; what is filled in may be anything."""
    asked = []
    for name in MODULES:
        for argument in re.findall(r"\bt\(((?:[^()]|\([^()]*\))*)\)", SOURCES[name]):
            plain = re.sub(r"`[^`]*`|\{[^}]*\}", "", argument)
            asked += re.findall(r'"([\w.]+)"', plain)
        # in every template, for a key may be put together before it is asked for
        asked += re.findall(r"`(\w+\.(?:[^`\s$]|\$\{[^}]*\})*)`", SOURCES[name])
    texts = [re.sub(r"\$\{[^}]*\}", "*", text) for text in asked]
    return [re.compile(re.escape(text).replace(r"\*", r"[\w.]+")) for text in texts]


def test_every_text_is_wanted_and_every_wanted_text_is_there() -> None:
    there, patterns = keys(), wanted()
    assert len(there) == len(set(there)) > 150
    assert [key for key in there if not any(pattern.fullmatch(key) for pattern in patterns)] == []
    told = [pattern for pattern in patterns if "/" not in pattern.pattern]
    assert [one.pattern for one in told if not any(one.fullmatch(key) for key in there)] == []


def test_texts_stand_in_one_place() -> None:
    spoken = re.compile(r"""["'`>](?:[A-Z][a-z]+ [a-z]+|[a-z]+ [a-z]+ [a-z]+ [a-z]+)[^"'`]*["'`<]""")
    selectors = re.compile(r"class:|matchMedia|TYPING|PRESSED|querySelector|createHash| d: ")
    for name in MODULES:
        if name != "texts.js":
            lines = [line for line in code_of(name).splitlines() if not selectors.search(line)]
            assert [line for line in lines if spoken.search(line)] == [], name


def test_refusals_are_told_in_words() -> None:
    there = set(keys())
    assert {code for code in KINDS if f"problem.{code}" not in there} <= TECHNICAL


# ---------------------------------------------------------------------------------------------------- the public API
def request_forms() -> set[tuple[str, str, frozenset[str]]]:
    """Every request that api.js can make: method, path as the document writes it, names of its query parameters."""
    found = set()
    for line in SOURCES["api.js"].splitlines():
        for text in re.findall(r"[`\"](?:\$\{this\.#base\})?(/[^`\"]*)[`\"]", line):
            path, _, query = text.partition("?")
            path = f"/v1{path}".replace("${id}", "{game_id}").replace("${number}", "{number}")
            method = "post" if "#post(" in line or '"POST"' in line else "get"
            found.add((method, path, frozenset(re.findall(r"(\w+)=", query))))
    return found


def test_every_request_of_the_table_is_an_operation_of_the_document(document: dict[str, Any]) -> None:
    asked = request_forms()
    assert len(asked) == 18
    for method, path, parameters in asked:
        operation = document["paths"][path][method]
        declared = {one["name"] for one in operation.get("parameters", []) if one.get("in") == "query"}
        assert parameters <= declared, path
    stream = document["paths"]["/v1/games/{game_id}/events"]["get"]
    assert {"after", "ticket"} <= {one["name"] for one in stream["parameters"] if one.get("in") == "query"}


def test_labels_are_the_editions_own() -> None:
    from engine.cards import Edition

    for edition in Edition:
        written = re.search(rf"{edition}: \[(.*?)\]", SOURCES["cards.js"])
        assert written is not None
        assert tuple(re.findall(r'"(\w+)"', written[1])) == tuple(edition.labels)


def test_imports_are_in_order() -> None:
    for name in MODULES:
        modules = re.findall(r'^import .*"(\./[\w-]+\.js)";$', SOURCES[name], re.MULTILINE)
        assert all(one < other for one, other in pairwise(modules)), name
