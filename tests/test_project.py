"""Laws of the tree itself: locks, layers, file sizes, and that what refers to a file finds it."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LOCKS = ["requirements.lock", "requirements-test.lock", "requirements-check.lock"]
LONGEST = 300
MAKE_HELP = ["make", "--no-print-directory", "help"]


def python_files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def pins(lock: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    text = (ROOT / lock).read_text()
    for name, version in re.findall(r"^([a-z0-9.-]+)(?:\[[^]]*\])?==(\S+)", text, re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found


@pytest.mark.parametrize("name", [*LOCKS, "package-lock.json"])
def test_lock_files_name_no_package_host(name: str) -> None:
    text = (ROOT / name).read_text()
    assert '"resolved"' not in text
    if name in LOCKS:
        assert not re.search(r"https?:|pypi|index-url|find-links", text, re.IGNORECASE)


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_a_hash(lock: str) -> None:
    entries = re.split(r"^(?=[a-z0-9])", (ROOT / lock).read_text(), flags=re.MULTILINE)
    locked = [entry for entry in entries if "==" in entry]
    assert locked
    assert [entry.split()[0] for entry in locked if "--hash=sha256:" not in entry] == []


def test_locks_agree_on_versions() -> None:
    run, test, check = map(pins, LOCKS)
    assert run.items() <= test.items()
    assert test.items() <= check.items()


def test_each_runtime_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {re.match(r"[A-Za-z0-9-]+", line)[0].lower() for line in project["dependencies"]}  # type: ignore[index]
    assert names <= pins("requirements.lock").keys()


def test_make_help_lists_every_public_target() -> None:
    answer = subprocess.run(MAKE_HELP, cwd=ROOT, capture_output=True, text=True, timeout=20, check=False)
    assert answer.returncode == 0, answer.stderr
    listed = {line.split()[0] for line in answer.stdout.splitlines()}
    assert listed == {"help", "run", "test", "check", "bench", "openapi", "lock", "clean"}


def test_import_contracts_hold() -> None:
    program = Path(sys.executable).parent / "lint-imports"
    answer = subprocess.run(
        [program, "--no-cache"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize(("package", "allowed"), [("engine", set()), ("ai", {"engine", "numpy", "numba"})])
def test_packages_import_only_what_their_layer_allows(package: str, allowed: set[str]) -> None:
    offline = {"ai/plots.py", "ai/progress.py"}  # may use plotting and progress libraries, and are never served
    writes_machine_code = ROOT / "ai/vector_code.py"  # with Numba's own compiler
    files = [path for path in python_files(package) if path.relative_to(ROOT).as_posix() not in offline]
    assert files
    for path in files:
        more = {"llvmlite"} if path == writes_machine_code else set()
        for node in ast.walk(ast.parse(path.read_text())):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names = [node.module]
            tops = {name.split(".")[0] for name in names}
            assert tops <= set(sys.stdlib_module_names) | allowed | more | {package}, path


def test_no_init_file_under_tests() -> None:
    assert list((ROOT / "tests").rglob("__init__.py")) == []


def test_no_file_is_longer_than_its_noun_deserves() -> None:
    files = python_files("engine", "ai", "service", "tests", "openapi")
    assert files
    lengths = {path.relative_to(ROOT).as_posix(): len(path.read_text().splitlines()) for path in files}
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def test_dockerfile_copies_what_exists() -> None:
    text = (ROOT / "docker/Dockerfile").read_text()
    lines = re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE)
    sources = [source for line in lines for source in line.split()[:-1]]
    assert {"engine", "ai", "service", "requirements.lock"} <= set(sources)
    assert [source for source in sources if not (ROOT / source).exists()] == []
    admitted = (ROOT / "docker/Dockerfile.dockerignore").read_text().splitlines()
    assert [source for source in sources if f"!{source}" not in admitted] == []


@pytest.mark.parametrize("script", [".ci/run", ".ci/fuzz"])
def test_scripts_are_executable_and_strict(script: str) -> None:
    path = ROOT / script
    assert os.access(path, os.X_OK)
    assert "set -euo pipefail" in path.read_text()
    assert subprocess.run(["bash", "-n", path], timeout=10, check=False).returncode == 0
