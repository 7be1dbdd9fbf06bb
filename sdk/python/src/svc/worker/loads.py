"""The agent as this process has loaded it: once, and in development again after each change, beside the one that serves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from ..agent import Agent
from ..declare import Declaration
from ..problems import Problem
from ..project import ProjectError, compiled, reload_declaration
from ..traces import described
from .host import AgentHost
from .watchdog import Overdue

Reload = Callable[[], tuple[AgentHost, dict[str, Any]]]
"""The changed agent, and its compiled declaration. Raises ProjectError."""


def reloading(entrypoint: str, folder: str) -> Reload:
    def reload() -> tuple[AgentHost, dict[str, Any]]:
        try:
            cls, declaration = reload_declaration(entrypoint, folder)
            return _made(cls, declaration), compiled(entrypoint, cls, declaration)
        except Overdue:
            raise ProjectError(
                Problem("the module did not load in time: nothing at its top level may wait for long"), of_process=True
            ) from None

    return reload


def _made(cls: type[Agent[Any]], declaration: Declaration) -> AgentHost:
    try:
        return AgentHost(cls, declaration)
    except Exception as error:
        raise ProjectError(Problem(f"{cls.__name__} could not be made: {described(error)}"), of_process=True) from error


class Loads:
    """A connection belongs to the newest agent, until its runtime shuts that one down; the process ends with the last."""

    def __init__(self, host: AgentHost, reload: Reload | None = None) -> None:
        self.over = asyncio.Event()
        self.can_reload = reload is not None
        self._reload = reload
        self._hosts: list[AgentHost] = []
        self._served: set[AgentHost] = set()
        self._ends: dict[AgentHost, asyncio.Task[None]] = {}
        self._add(host)

    @property
    def hosts(self) -> list[AgentHost]:
        return list(self._hosts)

    def serving(self) -> AgentHost:
        """For a connection."""
        newest = self._hosts[-1]
        self._served.add(newest)
        return newest

    def again(self) -> dict[str, Any]:
        """From now on connections belong to the agent as its files are now. The compiled declaration. Raises ProjectError."""
        if self._reload is None:
            raise ProjectError(Problem("this worker does not load changed code"))
        host, declaration = self._reload()
        host.watchdog = self._hosts[-1].watchdog
        for unwanted in [one for one in self._hosts if one not in self._served]:
            self._remove(unwanted)
        self._add(host)
        return declaration

    def _add(self, host: AgentHost) -> None:
        self._hosts.append(host)
        self._ends[host] = asyncio.get_running_loop().create_task(self._ended(host))

    async def _ended(self, host: AgentHost) -> None:
        await host.ended.wait()
        self._remove(host)
        if not self._hosts:
            self.over.set()

    def _remove(self, host: AgentHost) -> None:
        self._hosts.remove(host)
        self._served.discard(host)
        task = self._ends.pop(host)
        if task is not asyncio.current_task():
            task.cancel()
