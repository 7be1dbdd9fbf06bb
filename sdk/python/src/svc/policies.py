"""Policies of an agent, as its card carries them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

Lifecycle = Literal["ephemeral", "session", "persistent"]
State = Literal["stateless", "session", "durable"]
WorkspaceMode = Literal["read_only", "read_write_overlay"]
FileType = Literal["text", "code", "document", "data", "image", "audio", "video", "archive", "other"]

_CPU = re.compile(r"(?:[1-9]\d*m|[1-9]\d*|\d+\.\d+)")
_MEMORY = re.compile(r"[1-9]\d*(?:Ki|Mi|Gi)")


class _Policy(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")


class Resources(_Policy):
    cpu: str = "100m"
    memory: str = "256Mi"
    gpu: Annotated[int, Field(ge=0)] = 0
    max_runtime_seconds: Annotated[int, Field(gt=0)] = 600

    @field_validator("cpu")
    @classmethod
    def _cpu(cls, value: str) -> str:
        if not _CPU.fullmatch(value):
            raise ValueError('use cores ("2", "0.5") or thousandths ("100m")')
        return value

    @field_validator("memory")
    @classmethod
    def _memory(cls, value: str) -> str:
        if not _MEMORY.fullmatch(value):
            raise ValueError('use Ki, Mi or Gi, e.g. "256Mi"')
        return value


class EgressPolicy(_Policy):
    """Hosts the agent may reach: exact names or ``*.suffix``."""

    allow_hosts: tuple[str, ...] = ()
    allow_internal_services: tuple[str, ...] = ()
    deny_internet_by_default: bool = True


class WorkspaceAccess(_Policy):
    """What an agent may do with its callers' files: ``WorkspaceAccess.none()`` or ``WorkspaceAccess.dynamic(…)``."""

    enabled: bool = False
    max_files: Annotated[int, Field(ge=0)] = 0
    allowed_modes: tuple[WorkspaceMode, ...] = ()
    require_reason: bool = True
    deny_patterns: tuple[str, ...] = ()
    require_human_approval: bool = False
    max_total_size_bytes: Annotated[int, Field(gt=0)] = 104_857_600

    @classmethod
    def none(cls) -> WorkspaceAccess:
        """For agents that touch no workspace."""
        return cls()

    @classmethod
    def dynamic(
        cls,
        max_files: int = 25,
        allowed_modes: tuple[WorkspaceMode, ...] = ("read_only",),
        require_reason: bool = True,
        deny_patterns: tuple[str, ...] = (),
        require_human_approval: bool = False,
        max_total_size_bytes: int = 104_857_600,
    ) -> WorkspaceAccess:
        """For access negotiated call by call."""
        return cls(
            enabled=True,
            max_files=max_files,
            allowed_modes=tuple(allowed_modes),
            require_reason=require_reason,
            deny_patterns=tuple(deny_patterns),
            require_human_approval=require_human_approval,
            max_total_size_bytes=max_total_size_bytes,
        )


class SetupField(_Policy):
    """One thing a caller must, or may, give the agent before it works for them."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]
    kind: Literal["config", "secret"] = "config"
    """A secret is sealed by the platform and never shown again."""
    type: Literal["string", "number", "boolean", "url"] = "string"
    title: Annotated[str, Field(max_length=200)] | None = None
    description: Annotated[str, Field(max_length=2000)] = ""
    required: bool = False
    scope: Literal["user", "org"] = "user"
    default: bool | int | float | str | None = None

    @model_validator(mode="after")
    def _fitting_default(self) -> SetupField:
        if self.default is None:
            return self
        if self.kind == "secret":
            raise ValueError("a secret has no default")
        if not _fits(self.type, self.default):
            raise ValueError("the default is not of the type of the field")
        return self


def _fits(kind: str, value: object) -> bool:
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not isinstance(value, str) or not value:
        return False
    return kind == "string" or value.startswith(("https://", "http://"))


def setup_of(card: Mapping[str, Any], given: Mapping[str, str | int | float | bool]) -> dict[str, str | int | float | bool]:
    """What a run finds: given values that fit their fields, and defaults."""
    found: dict[str, str | int | float | bool] = {}
    for field in card.get("consumer_setup", []):
        value = given.get(field["name"])
        value = value if _fits(field["type"], value) else field.get("default")
        if value is not None:
            found[field["name"]] = value
    return found
