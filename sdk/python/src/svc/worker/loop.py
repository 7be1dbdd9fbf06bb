"""The loop of a worker: uvloop's where it is installed (``svc-sdk[fast]``), else asyncio's own."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Coroutine
from typing import Any

LOOP_VARIABLE = "SVC_WORKER_LOOP"


def run_loop(work: Coroutine[Any, Any, None]) -> None:
    """SVC_WORKER_LOOP=asyncio keeps uvloop out, should an agent not get along with it."""
    factory = None
    if os.environ.get(LOOP_VARIABLE) != "asyncio":
        try:
            factory = importlib.import_module("uvloop").new_event_loop
        except ImportError:
            factory = None
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(work)
