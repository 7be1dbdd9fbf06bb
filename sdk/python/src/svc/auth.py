"""Who calls: the principals a skill can see, and the resolvers that make one of a request."""

from __future__ import annotations

import hmac
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, final

from pydantic import BaseModel, ConfigDict, Field

from .errors import AuthError, MissingScopes


class Principal(BaseModel):
    """Base of auth models; a model of one's own may be any pydantic model."""

    model_config = ConfigDict(frozen=True, defer_build=True)


class NoAuth(Principal):
    """A public agent: nothing is known of the caller."""


class APIKeyAuth(Principal):
    api_key_id: str
    scopes: list[str] = Field(default_factory=list)


class JWTAuth(Principal):
    sub: str
    org_id: str | None = None
    email: str | None = None
    scopes: list[str] = Field(default_factory=list)


class PlatformUserAuth(Principal):
    sub: str
    user_id: int | None = None
    email: str | None = None
    org_id: str | None = None
    org_slug: str | None = None
    scopes: list[str] = Field(default_factory=list)


class CallerAccount(Principal):
    """A person, with the organization they act for."""

    sub: str
    """Never the same for two callers."""
    user_id: int | None = None
    """Number of the account; None: no person."""
    email: str | None = None
    org_id: str | None = None
    org_slug: str | None = None


class Caller(CallerAccount):
    """Who calls, by the platform's word: the same for every way in, whatever a resolver found out."""

    kind: Literal["user", "token", "agent", "mail", "platform"]
    """token: of this agent, or a link to it. agent: another agent, where it may not speak as the person it works for."""
    scopes: list[str] = Field(default_factory=list)
    """Of those that skills of this agent require: the ones this caller has."""
    trusted: bool = False
    """The agent's owner answers for this caller: themselves, a member, their token, or whom they gave scopes."""
    agent: str | None = None
    """Name of the agent that makes the call; None: none is between."""
    on_behalf_of: CallerAccount | None = None
    """With kind agent: the person behind it, who has not called this agent."""


def scopes_of(auth: object) -> list[str]:
    """Models without ``scopes`` count as having none."""
    held = getattr(auth, "scopes", None)
    return [scope for scope in held if isinstance(scope, str)] if isinstance(held, list | tuple | set) else []


def require_scopes(auth: object, required: Iterable[str], caller: Caller | None = None) -> None:
    """Scopes of the resolver's, and of the platform's. Raises MissingScopes."""
    held = [*scopes_of(auth), *scopes_of(caller)]
    missing = [scope for scope in required if scope not in held]
    if missing:
        raise MissingScopes(missing)


@dataclass(frozen=True)
class AuthRequest:
    """What a resolver sees: the bearer token without the word, and the caller's headers in lower case."""

    bearer: str | None
    headers: Mapping[str, str] = field(default_factory=dict)
    caller: Caller | None = None
    """Who calls, by the platform's word, whatever they sent; None: nobody is known, or no platform is between."""


class AuthResolver:
    """A resolver of one's own overrides ``resolve``; it runs in the worker. Raise AuthError to refuse the request."""

    async def resolve(self, request: AuthRequest) -> BaseModel | Mapping[str, Any]:
        raise NotImplementedError

    def to_dsl(self) -> dict[str, Any]:
        return {"kind": "worker"}


class _RuntimeResolver(AuthResolver):
    async def resolve(self, request: AuthRequest) -> BaseModel | Mapping[str, Any]:
        raise RuntimeError(f"{type(self).__name__} runs in the platform's runtime, not in the worker")


@final
class NoAuthResolver(AuthResolver):
    async def resolve(self, request: AuthRequest) -> NoAuth:
        return NoAuth()

    def to_dsl(self) -> dict[str, Any]:
        return {"kind": "none"}


@dataclass(frozen=True)
class Secret:
    """One of the agent's secrets, by name: its value is never written into what is compiled."""

    name: str


class APIKeyAuthResolver(AuthResolver):
    """Accepts requests with the key as bearer token; None accepts none. Name the key as ``Secret("NAME")`` instead of writing it down."""

    def __init__(
        self,
        accepted_key: str | Secret | None = None,
        api_key_id: str = "configured",
        scopes: Iterable[str] | None = None,
    ) -> None:
        self.accepted_key = accepted_key
        self.api_key_id = api_key_id
        self.scopes = list(scopes or ())

    async def resolve(self, request: AuthRequest) -> APIKeyAuth:
        if not request.bearer:
            raise AuthError('send the API key as "authorization: Bearer <key>"')
        key = self.accepted_key
        if not isinstance(key, str) or not hmac.compare_digest(request.bearer.encode(), key.encode()):
            raise AuthError("the API key is not accepted")
        # A short prefix: enough to tell keys apart in a log, too little to be one.
        return APIKeyAuth(api_key_id=self.api_key_id[:12], scopes=self.scopes)

    def to_dsl(self) -> dict[str, Any]:
        # A key written in the source stays there: then the worker compares.
        if isinstance(self.accepted_key, str):
            return super().to_dsl()
        secret = self.accepted_key.name if self.accepted_key else None
        return {"kind": "api_key", "secret": secret, "api_key_id": self.api_key_id, "scopes": self.scopes}


class _RemoteResolver(_RuntimeResolver):
    kind: str

    def __init__(
        self,
        url: str,
        auth_model: type[BaseModel] | None = None,
        method: Literal["GET", "POST"] = "GET",
        timeout_seconds: float = 5.0,
        token_header: str = "authorization",
        token_prefix: str = "bearer",
        active_field: str = "active",
        subject_field: str = "sub",
        email_field: str = "email",
        org_field: str = "org_id",
        scopes_field: str = "scope",
        extra_fields: Mapping[str, str] | None = None,
    ) -> None:
        self.auth_model = auth_model
        self._dsl: dict[str, Any] = {
            "kind": self.kind,
            "url": url,
            "method": method,
            "timeout_seconds": timeout_seconds,
            "token_header": token_header,
            "token_prefix": token_prefix,
            "active_field": active_field,
            "subject_field": subject_field,
            "email_field": email_field,
            "org_field": org_field,
            "scopes_field": scopes_field,
            "extra_fields": dict(extra_fields) if extra_fields is not None else None,
        }

    def to_dsl(self) -> dict[str, Any]:
        return dict(self._dsl)


@final
class OIDCUserInfoAuthResolver(_RemoteResolver):
    """Asks an OIDC userinfo endpoint who a bearer token belongs to."""

    kind = "oidc_userinfo"


@final
class RemoteBearerAuthResolver(_RemoteResolver):
    """Asks an API of one's own, or an introspection endpoint, about a bearer token."""

    kind = "remote_bearer"


@final
class PlatformUserAuthResolver(_RuntimeResolver):
    """The person signed in at the platform, by the session cookie."""

    def __init__(self, allow_local_dev: bool = True, trust_headers: bool | None = None, cookie_name: str = "svc_session") -> None:
        self._dsl = {
            "kind": "platform_user",
            "allow_local_dev": allow_local_dev,
            "trust_headers": trust_headers,
            "cookie_name": cookie_name,
        }

    def to_dsl(self) -> dict[str, Any]:
        return dict(self._dsl)


@final
class StaticAuthResolver(AuthResolver):
    """Always the same principal; for tests."""

    def __init__(self, principal: BaseModel | Mapping[str, Any]) -> None:
        self.principal = principal

    async def resolve(self, request: AuthRequest) -> BaseModel | Mapping[str, Any]:
        return self.principal

    def to_dsl(self) -> dict[str, Any]:
        return {"kind": "static", "principal": principal_json(self.principal)}


def auth_model_of(agent: type[Any]) -> type[BaseModel]:
    """The agent's own, or else that of its resolver."""
    model: type[BaseModel] = agent.auth_model
    resolvers: type[BaseModel] | None = getattr(agent.auth_resolver, "auth_model", None)
    return resolvers if model is NoAuth and resolvers is not None else model


def principal_json(principal: BaseModel | Mapping[str, Any]) -> dict[str, Any]:
    return principal.model_dump(mode="json", by_alias=True) if isinstance(principal, BaseModel) else dict(principal)


async def resolve_principal(resolver: AuthResolver, request: AuthRequest) -> dict[str, Any]:
    """A resolver may also be written without ``async``."""
    found: Any = resolver.resolve(request)
    if inspect.isawaitable(found):
        found = await found
    if not isinstance(found, BaseModel | Mapping):
        raise TypeError(f"{type(resolver).__name__}.resolve() must return a model or a mapping, not {type(found).__name__}")
    return principal_json(found)
