"""What the run context needs of the program that runs the skill: the platform's runtime, or a test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

Level = Literal["debug", "info", "warn", "error"]


class Bridge(Protocol):
    @property
    def deadline(self) -> float | None:
        """Epoch seconds, as it is now; None where nothing bounds the run."""

    async def emit(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Returns when the reader can take more."""

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        """A method of the run context by its name on the wire (contract/wire/context-methods.ts). Raises SvcError."""

    def check_cancelled(self) -> None:
        """Raises what the run was ended with."""

    def secret(self, name: str) -> str:
        """Raises SecretMissing."""

    def write_log(self, level: Level, message: str, fields: Mapping[str, Any]) -> None: ...
