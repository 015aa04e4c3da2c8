"""The document says what is served, and the committed files are the document."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import jsonschema
import openapi_spec_validator
import pytest
import yaml

from service.app import create_app
from service.config import Config
from tests.running import ROOT
from tests.strictly import check_shape

METHODS = {"get", "post", "put", "patch", "delete"}
OPERATIONS = {
    "createGame",
    "getGame",
    "dealCards",
    "playCards",
    "passTurn",
    "chooseDraw",
    "makeAiMove",
    "resignGame",
    "claimGame",
    "rematchGame",
    "streamEvents",
    "issueStreamTicket",
    "getHistory",
    "getDealRecord",
    "analyseDeal",
    "getGameRecord",
    "suggestActions",
    "suggestForPosition",
    "getLevels",
    "getHealth",
    "getReadiness",
    "getMetrics",
    "listProblemTypes",
    "getProblemType",
}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    found: dict[str, Any] = create_app(Config.from_env({})).test_client().get("/openapi.json").get_json()
    return found


@pytest.fixture(scope="module")
def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        operation["operationId"]: operation
        for item in document["paths"].values()
        for method, operation in item.items()
        if method in METHODS
    }


def test_the_committed_files_are_what_is_served() -> None:
    made = subprocess.run(
        [sys.executable, "openapi/generate.py", "--check"],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert made.returncode == 0, made.stderr


def test_json_and_yaml_say_the_same(document: dict[str, Any]) -> None:
    text = create_app(Config.from_env({})).test_client().get("/openapi.yaml").text
    assert yaml.safe_load(text) == document


def test_every_operation_has_a_name_of_its_own(operations: dict[str, dict[str, Any]]) -> None:
    assert set(operations) == OPERATIONS


def test_every_operation_served_is_described(document: dict[str, Any]) -> None:
    rules = create_app(Config.from_env({})).url_map.iter_rules()
    served = {rule.rule.replace("<", "{").replace(">", "}") for rule in rules if rule.rule.startswith("/v1/")}
    assert served == {path for path in document["paths"] if path.startswith("/v1/")}


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_an_operation_has_summary_description_tag_and_an_example_of_each_body(
    operations: dict[str, dict[str, Any]], name: str
) -> None:
    operation = operations[name]
    assert operation["summary"].endswith(".")
    assert operation["description"]
    assert len(operation["tags"]) == 1
    contents = [content for answer in operation["responses"].values() for content in answer.get("content", {}).values()]
    contents += operation.get("requestBody", {}).get("content", {}).values()
    assert contents
    assert [content for content in contents if not content.get("examples")] == []


def test_every_example_of_an_answer_is_one(operations: dict[str, dict[str, Any]]) -> None:
    app = create_app(Config.from_env({}))
    checked = 0
    for view in app.view_functions.values():
        made: Any = getattr(view, "view_class", None)
        for method in METHODS:
            declared = getattr(getattr(made, method, None), "_apidoc", {}).get("manual_doc", {})
            for status, answer in declared.get("responses", {}).items():
                content = answer.get("content", {}).get("application/json")
                if content is None:
                    continue
                shown = operations[declared["operationId"]]["responses"][status]["content"]["application/json"]
                for example in shown["examples"].values():
                    check_shape(content["schema"], example["value"])
                    checked += 1
    assert checked >= len(OPERATIONS)


CHANGING = {
    "dealCards",
    "playCards",
    "passTurn",
    "chooseDraw",
    "makeAiMove",
    "resignGame",
    "claimGame",
    "rematchGame",
}


def test_whatever_changes_a_game_takes_a_version_and_a_key_and_nothing_else_does(
    operations: dict[str, dict[str, Any]],
) -> None:
    named: dict[str, set[str]] = {"If-Match": set(), "Idempotency-Key": set(), "Creation-Key": set()}
    for name, operation in operations.items():
        for parameter in operation.get("parameters", []):
            header = parameter.get("$ref", "").rpartition("/")[2]
            if header in named:
                named[header].add(name)
    assert named == {
        "If-Match": CHANGING | {"suggestActions"},
        "Idempotency-Key": CHANGING,
        "Creation-Key": {"createGame"},
    }
    for name in CHANGING:
        assert {"412", "428", "422"} <= set(operations[name]["responses"])


def test_requests_are_closed_and_answers_open(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    closed = {name for name, schema in schemas.items() if schema.get("additionalProperties") is False}
    requests = {name for name in schemas if name.startswith(("New", "Told")) or name.endswith("Request")}
    assert closed == requests - {"NewSeat", "ToldEvent"}


def test_the_document_is_valid(document: dict[str, Any]) -> None:
    openapi_spec_validator.validate(document)


def test_every_example_agrees_with_its_schema_as_clients_read_it(
    document: dict[str, Any], operations: dict[str, dict[str, Any]]
) -> None:
    root = {"components": document["components"]}
    shown = 0
    for operation in operations.values():
        bodies = [*operation["responses"].values(), operation.get("requestBody", {})]
        for content in [media for body in bodies for media in body.get("content", {}).values()]:
            validator = jsonschema.Draft202012Validator({**root, **content["schema"]})
            for example in content["examples"].values():
                if "value" in example:
                    validator.validate(example["value"])
                    shown += 1
    assert shown > 2 * len(OPERATIONS) - 10


def test_every_member_and_parameter_is_described(
    document: dict[str, Any], operations: dict[str, dict[str, Any]]
) -> None:
    members = [
        (f"{name}.{member}", shape)
        for name, schema in document["components"]["schemas"].items()
        for member, shape in schema.get("properties", {}).items()
    ]
    parameters = [
        (f"{name}({parameter['name']})", parameter)
        for name, operation in operations.items()
        for parameter in operation.get("parameters", [])
        if "$ref" not in parameter
    ]
    parameters += document["components"]["parameters"].items()
    assert len(members) > 150
    assert [name for name, described in [*members, *parameters] if not described.get("description")] == []


def test_the_guide_names_operations_and_phases_that_exist(document: dict[str, Any]) -> None:
    guide = document["info"]["description"]
    named = re.findall(r"`(GET|POST) (\.\.\.|/v1/games/\{game_id\})?(/[a-z0-9/-]*)?(?:\?[^`]*)?`", guide)
    assert len(named) > 8
    for method, game, rest in named:
        path = f"{'/v1/games/{game_id}' if game else ''}{rest}"
        assert method.lower() in document["paths"][path], path
    phases = document["components"]["schemas"]["GameView"]["properties"]["phase"]["enum"]
    assert re.findall(r"^   \| `(\w+)` \| [^w]", guide, re.MULTILINE)[-len(phases) :] == phases
    assert set(re.findall(r"`([a-z]+_[a-z]+)`", guide)) >= {"to_act", "legal_actions", "current_version"}
    for header in ("If-Match", "Idempotency-Key", "Retry-After", "ETag"):
        assert header in guide
