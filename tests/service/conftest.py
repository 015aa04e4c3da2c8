"""The folder's fixtures: see heard.py."""

from tests.service.heard import app, followed, live, ports, table

__all__ = ["app", "followed", "live", "ports", "table"]
