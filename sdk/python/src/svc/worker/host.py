"""The agent in this process: made once, started once, shut down once, for all connections."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from ..agent import Agent
from ..auth import auth_model_of
from ..bridge import Level
from ..context import LifecycleContext
from ..declare import Declaration, declare
from ..errors import AgentNotReady, NotAvailable, SecretMissing
from ..invoke import settled
from ..traces import by_field
from .watchdog import Watchdog

WriteLog = Callable[[Level, str, Mapping[str, Any]], None]


class _HookBridge:
    """Between runs there are secrets and a log, and no caller."""

    deadline = None

    def __init__(self, host: AgentHost, write: WriteLog) -> None:
        self._host = host
        self._write = write

    async def emit(self, kind: str, payload: Mapping[str, Any]) -> None:
        raise NotAvailable("events need a run")

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        raise NotAvailable(f"{method} needs a run")

    def check_cancelled(self) -> None:
        return None

    def secret(self, name: str) -> str:
        return self._host.secret(name)

    def write_log(self, level: Level, message: str, fields: Mapping[str, Any]) -> None:
        self._write(level, message, fields)


class AgentHost:
    def __init__(self, cls: type[Agent[Any]], declaration: Declaration | None = None) -> None:
        """Raises AgentDeclarationError."""
        self.declaration: Declaration = declaration or declare(cls)
        self.agent = cls()
        self.auth_model: type[BaseModel] = auth_model_of(cls)
        self.secrets: dict[str, str] = {}
        self.ended = asyncio.Event()
        self.watchdog: Watchdog | None = None
        self._startup: asyncio.Task[None] | None = None
        self._shut_down = False

    def secret(self, name: str) -> str:
        value = self.secrets.get(name)
        if value is None:
            raise SecretMissing(f'the secret "{name}" is not set for this agent')
        return value

    def keep(self, secrets: Mapping[str, str]) -> None:
        """The owner stores variables of the environment (required_env) beside the secrets."""
        self.secrets = dict(secrets)
        for name in self.declaration.card["required_env"]:
            if name in secrets and name.isidentifier() and name.isascii() and not name.startswith("SVC_"):
                os.environ[name] = secrets[name]

    async def start(self, config: Mapping[str, Any], secrets: Mapping[str, str], write: WriteLog) -> None:
        """The startup hook runs once; a runtime that connects later uses the started agent. Raises what the hook raised."""
        self.keep(secrets)
        if self._startup is None:
            try:
                self.agent.configure(config)
            except ValidationError as error:
                raise AgentNotReady(f"the configuration does not fit: {by_field(error)}") from None
            self._startup = asyncio.ensure_future(self._start(write))
        await asyncio.shield(self._startup)

    async def _start(self, write: WriteLog) -> None:
        await settled(self.agent.startup(LifecycleContext(_HookBridge(self, write))))

    async def healthy(self, seconds: float) -> bool:
        """Raises TimeoutError, and what the hook raises."""
        return await asyncio.wait_for(settled(self.agent.health()), seconds) is True

    async def shutdown(self, write: WriteLog) -> None:
        """An agent that never started has nothing to shut down."""
        started = self._startup is not None and self._startup.done() and self._startup.exception() is None
        if self._shut_down or not started:
            return
        self._shut_down = True
        try:
            await settled(self.agent.shutdown(LifecycleContext(_HookBridge(self, write))))
        except Exception as error:
            write("error", "the shutdown hook failed", {"error": str(error)})
