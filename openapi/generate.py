"""Writes openapi.json and openapi.yaml beside this file from the running application's own answers.

With --check nothing is written: the exit code tells whether the committed files are what would be written.
"""

import json
import sys
from pathlib import Path

from service.app import create_app
from service.config import Config

FOLDER = Path(__file__).parent


def documents() -> dict[str, str]:
    """Answers file name -> text. JSON is indented, so that a change of the API reads as a diff."""
    client = create_app(Config.from_env({})).test_client()
    as_json = client.get("/openapi.json")
    as_yaml = client.get("/openapi.yaml")
    for answer in (as_json, as_yaml):
        if answer.status_code != 200:
            raise SystemExit(f"{answer.request.path} answered {answer.status_code}")
    return {
        "openapi.json": json.dumps(as_json.get_json(), indent=2, ensure_ascii=False) + "\n",
        "openapi.yaml": as_yaml.get_data(as_text=True),
    }


def main(arguments: list[str]) -> int:
    """Answers the exit code: 1 when --check finds a difference."""
    made = documents()
    if "--check" not in arguments:
        for name, text in made.items():
            (FOLDER / name).write_text(text, encoding="utf-8")
        return 0
    stale = [
        name
        for name, text in made.items()
        if not (FOLDER / name).is_file() or (FOLDER / name).read_text(encoding="utf-8") != text
    ]
    for name in stale:
        sys.stderr.write(f"openapi/{name} is not what the service answers: make openapi\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
