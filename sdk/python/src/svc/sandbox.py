"""Separate microVMs for untrusted code. Without a platform every method raises SandboxUnavailable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .bridge import Bridge
from .types import ExecResult, SandboxSpec

_IMAGE = "python:3.11-slim"


class SandboxHandle:
    def __init__(self, bridge: Bridge, name: str) -> None:
        self._bridge = bridge
        self.name = name

    async def exec(self, cmd: str, args: Iterable[str] = (), timeout: float = 60.0) -> ExecResult:  # noqa: ASYNC109
        """Runs one program; no shell parses it."""
        return await self._result("sandbox.exec", command=cmd, args=list(args), timeout=timeout)

    async def shell(self, script: str, timeout: float = 60.0) -> ExecResult:  # noqa: ASYNC109
        """Runs a script with /bin/sh."""
        return await self._result("sandbox.shell", script=script, timeout=timeout)

    async def logs(self, tail: int = 200) -> str:
        """The newest lines of all its programs' output."""
        return str(await self._bridge.call("sandbox.logs", {"name": self.name, "tail": tail}))

    async def stop(self) -> None:
        await self._bridge.call("sandbox.stop", {"name": self.name})

    async def kill(self) -> None:
        await self._bridge.call("sandbox.kill", {"name": self.name})

    async def _result(self, method: str, **params: Any) -> ExecResult:
        return ExecResult.model_validate(await self._bridge.call(method, {"name": self.name, **params}))


class Sandbox:
    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    async def create(self, spec: SandboxSpec) -> SandboxHandle:
        await self._bridge.call("sandbox.create", spec.model_dump(mode="json"))
        return SandboxHandle(self._bridge, spec.name)

    async def get(self, name: str) -> SandboxHandle:
        await self._bridge.call("sandbox.get", {"name": name})
        return SandboxHandle(self._bridge, name)

    async def list(self) -> list[str]:
        """Names."""
        return [str(name) for name in await self._bridge.call("sandbox.list", {})]

    async def remove(self, name: str) -> None:
        await self._bridge.call("sandbox.remove", {"name": name})

    async def run_python(self, code: str, image: str = _IMAGE, timeout: float = 60.0) -> ExecResult:  # noqa: ASYNC109
        """Create, run for at most ``timeout`` seconds, tear down. ``timed_out`` says that it was ended."""
        return await self._once("sandbox.run_python", code=code, image=image, timeout=timeout)

    async def run_shell(self, script: str, image: str = _IMAGE, timeout: float = 60.0) -> ExecResult:  # noqa: ASYNC109
        """As ``run_python``, with /bin/sh."""
        return await self._once("sandbox.run_shell", script=script, image=image, timeout=timeout)

    async def _once(self, method: str, **params: Any) -> ExecResult:
        return ExecResult.model_validate(await self._bridge.call(method, params))
