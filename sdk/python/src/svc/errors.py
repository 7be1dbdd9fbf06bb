"""What can go wrong, by the names of the specification. Messages are meant for the caller: no internals in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

Issue = dict[str, Any]
"""Where and what is wrong in the arguments: ``{"path": [...], "code": ..., "message": ...}``."""


class SvcError(Exception):
    """An answer to the caller: a stable code, a message, the HTTP status. Raised by a skill, its message reaches the caller."""

    code: ClassVar[str] = "skill_invocation_error"
    status: int = 500

    def __init__(self, message: str = "", *, status: int | None = None) -> None:
        super().__init__(message or self.__class__.__name__)
        if status is not None:
            self.status = status

    def to_wire(self) -> dict[str, Any]:
        return {"code": self.code, "message": str(self), "status": self.status}


class SkillInputError(SvcError):
    """The arguments do not fit the input schema; a skill may raise it too, for what a schema cannot say."""

    code = "skill_input_error"
    status = 400

    def __init__(self, message: str = "", issues: Iterable[Issue] = (), *, status: int | None = None) -> None:
        super().__init__(message, status=status)
        self.issues = list(issues)

    def to_wire(self) -> dict[str, Any]:
        return {**super().to_wire(), "issues": self.issues}


class SkillNotFound(SvcError):
    code = "skill_not_found"
    status = 404


class SkillInvocationError(SvcError):
    """The handler failed. Raised by a skill, its message reaches the caller; the message of any other exception does not."""

    code = "skill_invocation_error"


class SkillOutputError(SkillInvocationError):
    """The handler's result does not fit the type it declared."""

    code = "skill_output_error"

    def __init__(self, message: str = "", issues: Iterable[Issue] = (), *, status: int | None = None) -> None:
        super().__init__(message, status=status)
        self.issues = list(issues)

    def to_wire(self) -> dict[str, Any]:
        return {**super().to_wire(), **({"issues": self.issues} if self.issues else {})}


class SecretMissing(SkillInvocationError):
    code = "secret_missing"


class SkillTimeout(SvcError):
    code = "skill_timeout"
    status = 504


class MissingScopes(SvcError):
    code = "missing_scopes"
    status = 403

    def __init__(self, missing: Iterable[str] = (), *, status: int | None = None) -> None:
        self.missing = tuple(missing)
        super().__init__(f"the caller lacks the scopes: {', '.join(self.missing)}", status=status)

    def to_wire(self) -> dict[str, Any]:
        return {**super().to_wire(), "missing_scopes": list(self.missing)}


class AuthError(SvcError):
    """No token, or not one that is accepted. A resolver may set another status than 401."""

    code = "auth_error"
    status = 401


class GrantInvalid(SvcError):
    """A forged, expired or misaddressed grant. Says no more than that."""

    code = "grant_invalid"
    status = 403

    def __init__(self, message: str = "the grant is not valid here", *, status: int | None = None) -> None:
        super().__init__(message, status=status)


class ScopeDenied(SvcError):
    code = "scope_denied"
    status = 403


class ScopeExpansionNotAllowed(SvcError):
    code = "scope_expansion_not_allowed"
    status = 403


class CancelledByCaller(SvcError):
    """The caller went away. 499 is never seen by them; it is what logs and receipts carry."""

    code = "cancelled_by_caller"
    status = 499

    def __init__(self, message: str = "cancelled by the caller", *, status: int | None = None) -> None:
        super().__init__(message, status=status)


class QuestionTimeout(SvcError, TimeoutError):
    """The question was not answered in time."""

    code = "question_expired"
    status = 504


class QuestionDeclined(SvcError):
    """The person who was asked said that they do not answer."""

    code = "question_declined"
    status = 403


class NobodyToAsk(SvcError):
    code = "nobody_to_ask"
    status = 403


class WorkspaceDenied(SvcError):
    code = "workspace_denied"
    status = 403


class FileNotFound(SvcError, FileNotFoundError):
    code = "file_not_found"
    status = 404

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class SandboxUnavailable(SvcError):
    code = "sandbox_unavailable"
    status = 503


class NotAvailable(SvcError):
    """Part of the run context that needs the platform, where there is none."""

    code = "not_available"
    status = 501


class AgentBusy(SvcError):
    code = "agent_busy"
    status = 503


class AgentNotReady(SvcError):
    code = "agent_not_ready"
    status = 503


class CallFailed(SvcError):
    """Another agent refused or failed; ``callee_code`` is its own code (skill_input_error, missing_scopes …), to decide by."""

    code = "call_failed"
    status = 502

    def __init__(
        self,
        message: str = "",
        *,
        callee_code: str = "skill_invocation_error",
        callee_status: int = 500,
        issues: Iterable[Issue] = (),
        status: int | None = None,
    ) -> None:
        super().__init__(message, status=status)
        self.callee_code = callee_code
        self.callee_status = callee_status
        self.issues = list(issues)

    def to_wire(self) -> dict[str, Any]:
        callee = {"code": self.callee_code, "status": self.callee_status}
        return {**super().to_wire(), "callee": callee, "issues": self.issues}


class ModelFailed(SvcError):
    """A language model did not answer. ``model_code`` is the gateway's own (llm_cap_reached, model_not_allowed …), or the endpoint's.

    ``model_status`` is the HTTP status; 0 where there was no answer at all.
    """

    code = "model_failed"
    status = 502

    def __init__(self, message: str = "", *, model_code: str = "model_refused", model_status: int = 0, status: int | None = None) -> None:
        super().__init__(message, status=status)
        self.model_code = model_code
        self.model_status = model_status

    def to_wire(self) -> dict[str, Any]:
        return {**super().to_wire(), "callee": {"code": self.model_code, "status": self.model_status}}


class ModelAnswerInvalid(SvcError):
    """What a model answered does not fit the schema, also when it was asked again."""

    code = "model_answer_invalid"
    status = 502

    def __init__(self, message: str = "", issues: Iterable[Issue] = (), *, status: int | None = None) -> None:
        super().__init__(message, status=status)
        self.issues = list(issues)

    def to_wire(self) -> dict[str, Any]:
        return {**super().to_wire(), "issues": self.issues}


class BadRequest(SvcError):
    """A method of the run context was called with an argument it does not take."""

    code = "bad_request"
    status = 400


_BY_CODE: dict[str, type[SvcError]] = {
    cls.code: cls
    for cls in (
        SkillNotFound, SkillInvocationError, SecretMissing, SkillTimeout, AuthError, GrantInvalid,
        ScopeDenied, ScopeExpansionNotAllowed, CancelledByCaller, QuestionTimeout, QuestionDeclined, NobodyToAsk,
        WorkspaceDenied, FileNotFound, SandboxUnavailable, NotAvailable, AgentBusy, AgentNotReady, BadRequest,
    )
}  # fmt: skip


def from_wire(error: Mapping[str, Any]) -> SvcError:
    """The exception a frame carries, by its name; one of a code unknown here keeps code, message and status."""
    code = str(error.get("code"))
    message = str(error.get("message", ""))
    status = error.get("status")
    if code == SkillInputError.code:
        return SkillInputError(message, error.get("issues") or (), status=status)
    if code == SkillOutputError.code:
        return SkillOutputError(message, error.get("issues") or (), status=status)
    if code == MissingScopes.code:
        return MissingScopes(error.get("missing_scopes") or (), status=status)
    if code == ModelAnswerInvalid.code:
        return ModelAnswerInvalid(message, error.get("issues") or (), status=status)
    if code == ModelFailed.code:
        model = error.get("callee") or {}
        model_code, model_status = str(model.get("code", "model_refused")), int(model.get("status", 0))
        return ModelFailed(message, model_code=model_code, model_status=model_status, status=status)
    if code == CallFailed.code:
        callee = error.get("callee") or {}
        return CallFailed(
            message,
            callee_code=str(callee.get("code", "skill_invocation_error")),
            callee_status=int(callee.get("status", 500)),
            issues=error.get("issues") or (),
            status=status,
        )
    known = _BY_CODE.get(code)
    if known is not None:
        return known(message, status=status)
    unknown = SvcError(message, status=status)
    unknown.__dict__["code"] = code
    return unknown
