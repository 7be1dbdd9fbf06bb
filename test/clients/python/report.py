"""What every client here says of itself at its end: one line of JSON. Keys beside `version` are steps; what they must hold is in ../steps.ts."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any

URL = sys.argv[1]
MCP = f"{URL}/mcp"
ANSWER = {"answer": "blue"}


def tell(package: str, steps: Callable[[], Awaitable[dict[str, Any]]]) -> None:
    said = asyncio.run(asyncio.wait_for(steps(), 100))
    print(json.dumps({"version": version(package), **said}, default=str))
