"""Values of the run context, as the specification names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from .policies import FileType


class _Value(BaseModel):
    # What a newer runtime adds is no error.
    model_config = ConfigDict(frozen=True, defer_build=True, extra="ignore")


class ArtifactRef(_Value):
    name: str
    uri: str
    mime_type: str
    size_bytes: int


class AgentEvent(_Value):
    kind: str
    payload: dict[str, Any] = Field(default_factory=dict)


class CallResult(_Value):
    result: Any = None
    events: tuple[AgentEvent, ...] = ()
    artifacts: tuple[ArtifactRef, ...] = ()
    grant_id: str | None = None


class DiscoveredAgent(_Value):
    """``url`` is what a caller passes to ``ctx.call``; ``card`` is the agent's card."""

    name: str
    url: str | None = None
    card: dict[str, Any] = Field(default_factory=dict)


class FileMatch(_Value):
    path: str
    file_type: FileType = "other"
    score: float = 0.0
    summary: str | None = None
    size_bytes: int = Field(default=0, ge=0)


class Patch(_Value):
    """One staged change. The platform commits it when the run succeeded, and rejects it otherwise."""

    patch_id: str
    path: str
    operation: Literal["write", "delete"]
    size_bytes: int = 0
    sha256: str | None = None
    state: Literal["staged", "committed", "rejected"] = "staged"
    reason: str | None = None


class SandboxSpec(_Value):
    """A separate microVM for untrusted code. ``workspace`` is a grant token, ``secrets`` are names of secrets of the agent."""

    name: str
    image: str = "python:3.11-slim"
    memory_mib: int = 512
    cpus: int = 1
    workspace: str | None = None
    secrets: tuple[str, ...] = ()
    egress: tuple[str, ...] = ()
    labels: Mapping[str, str] = Field(default_factory=dict)


class ExecResult(_Value):
    stdout: str
    stderr: str = ""
    exit_code: int = 0
    truncated: bool = False
    timed_out: bool = False
