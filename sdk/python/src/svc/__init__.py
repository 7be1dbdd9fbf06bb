"""Write an agent as one class with typed skills: ``from svc import Agent, RunContext, skill``."""

from typing import TYPE_CHECKING, Any

from .a2a import AgentCaller, InMemoryA2AClient, RunA2AClient
from .agent import Agent
from .auth import (
    APIKeyAuth,
    APIKeyAuthResolver,
    AuthRequest,
    AuthResolver,
    Caller,
    CallerAccount,
    JWTAuth,
    NoAuth,
    NoAuthResolver,
    OIDCUserInfoAuthResolver,
    PlatformUserAuth,
    PlatformUserAuthResolver,
    RemoteBearerAuthResolver,
    Secret,
    StaticAuthResolver,
)
from .canonical import CanonicalJsonError, canonical_json, canonical_sha256
from .context import LifecycleContext, Log, RunContext
from .errors import (
    AgentBusy,
    AgentNotReady,
    AuthError,
    CallFailed,
    CancelledByCaller,
    FileNotFound,
    GrantInvalid,
    MissingScopes,
    ModelAnswerInvalid,
    ModelFailed,
    NobodyToAsk,
    NotAvailable,
    QuestionDeclined,
    QuestionTimeout,
    SandboxUnavailable,
    ScopeDenied,
    ScopeExpansionNotAllowed,
    SecretMissing,
    SkillInputError,
    SkillInvocationError,
    SkillNotFound,
    SkillOutputError,
    SkillTimeout,
    SvcError,
    WorkspaceDenied,
)
from .grant import Grant, grant_key_of, mint_grant, sign_grant, verify_grant
from .llm import Llm, LlmEmbeddings, LlmMessage, LlmResult, LlmStream, LlmTool, LlmToolCall, LlmUsage
from .mail import EmailAttachment, EmailReply
from .memory import Memory, MemoryEntry, MemoryPage
from .meta_runs import MetaRun, MetaRunPage, MetaRuns
from .policies import EgressPolicy, FileType, Lifecycle, Resources, SetupField, State, WorkspaceAccess, WorkspaceMode
from .problems import AgentDeclarationError, Problem
from .recipient import AskPeople, AskRole, Recipient
from .sandbox import Sandbox, SandboxHandle
from .skill import skill
from .types import AgentEvent, ArtifactRef, CallResult, DiscoveredAgent, ExecResult, FileMatch, Patch, SandboxSpec
from .version import __version__
from .workspace import Workspace, WorkspaceView

if TYPE_CHECKING:
    from .a2a_http import A2AClient
    from .discovery import ControlPlaneDiscovery


def __getattr__(name: str) -> Any:
    # Clients for programs outside of a run: agents do not pay for their import.
    if name == "A2AClient":
        from .a2a_http import A2AClient

        return A2AClient
    if name == "ControlPlaneDiscovery":
        from .discovery import ControlPlaneDiscovery

        return ControlPlaneDiscovery
    raise AttributeError(f"module 'svc' has no attribute {name!r}")


__all__ = [
    "A2AClient", "APIKeyAuth", "APIKeyAuthResolver", "Agent", "AgentBusy", "AgentCaller", "AgentDeclarationError", "AgentEvent",
    "AgentNotReady", "ArtifactRef", "AskPeople", "AskRole", "AuthError", "AuthRequest", "AuthResolver", "CallFailed",
    "CallResult", "Caller", "CallerAccount", "CancelledByCaller", "CanonicalJsonError", "ControlPlaneDiscovery",
    "DiscoveredAgent", "EgressPolicy", "EmailAttachment", "EmailReply", "ExecResult", "FileMatch", "FileNotFound", "FileType",
    "Grant", "GrantInvalid", "InMemoryA2AClient", "JWTAuth", "Lifecycle", "LifecycleContext", "Llm", "LlmEmbeddings",
    "LlmMessage", "LlmResult", "LlmStream", "LlmTool", "LlmToolCall", "LlmUsage", "Log", "Memory", "MemoryEntry", "MemoryPage",
    "MetaRun", "MetaRunPage", "MetaRuns", "MissingScopes", "ModelAnswerInvalid", "ModelFailed", "NoAuth", "NoAuthResolver",
    "NobodyToAsk", "NotAvailable", "OIDCUserInfoAuthResolver", "Patch", "PlatformUserAuth", "PlatformUserAuthResolver",
    "Problem", "QuestionDeclined", "QuestionTimeout", "Recipient", "RemoteBearerAuthResolver", "Resources", "RunA2AClient",
    "RunContext", "Sandbox",
    "SandboxHandle", "SandboxSpec", "SandboxUnavailable", "ScopeDenied", "ScopeExpansionNotAllowed", "Secret", "SecretMissing",
    "SetupField", "SkillInputError", "SkillInvocationError", "SkillNotFound", "SkillOutputError", "SkillTimeout", "State",
    "StaticAuthResolver", "SvcError", "Workspace", "WorkspaceAccess", "WorkspaceDenied", "WorkspaceMode", "WorkspaceView",
    "__version__", "canonical_json", "canonical_sha256", "grant_key_of", "mint_grant", "sign_grant", "skill", "verify_grant",
]  # fmt: skip
