"""Says who calls it: one agent for each way to find that out."""

from __future__ import annotations

import base64
import json
from typing import Any

from pydantic import BaseModel, ConfigDict

from svc import (
    Agent,
    APIKeyAuth,
    APIKeyAuthResolver,
    AuthError,
    AuthRequest,
    AuthResolver,
    JWTAuth,
    PlatformUserAuth,
    PlatformUserAuthResolver,
    RunContext,
    Secret,
    StaticAuthResolver,
    skill,
)


class _Says(Agent):
    description = "Says who calls it."
    version = "1.0.0"

    @skill()
    async def who(self, ctx: RunContext[Any]) -> str:
        return _said(ctx)

    @skill(scopes=("admin",))
    async def admin(self, ctx: RunContext[Any]) -> str:
        ctx.require_scopes("admin")
        return _said(ctx)


def _said(ctx: RunContext[Any]) -> str:
    caller = None if ctx.caller is None else ctx.caller.model_dump(mode="json")
    seen = json.dumps({"auth": ctx.auth.model_dump(mode="json"), "caller": caller}).encode()
    return f"seen:{base64.urlsafe_b64encode(seen).decode().rstrip('=')};"


class Nothing(_Says):
    name = "nothing"


class Model(_Says):
    name = "model"
    auth_model = PlatformUserAuth


class People(_Says):
    name = "people"
    auth_model = PlatformUserAuth
    auth_resolver = PlatformUserAuthResolver()


class Fixed(_Says):
    name = "fixed"
    auth_model = JWTAuth
    auth_resolver = StaticAuthResolver(JWTAuth(sub="fixed"))


class Key(_Says):
    name = "key"
    required_secrets = ("KEY",)
    auth_model = APIKeyAuth
    auth_resolver = APIKeyAuthResolver(Secret("KEY"))


class _Theirs(AuthResolver):
    async def resolve(self, request: AuthRequest) -> JWTAuth:
        if request.bearer != "theirs" or any("svc_" in value for value in request.headers.values()):
            raise AuthError("send your token")
        return JWTAuth(sub="theirs")


class Author(_Says):
    name = "author"
    auth_model = JWTAuth
    auth_resolver = _Theirs()


class Told(BaseModel):
    """A model that takes nothing else."""

    model_config = ConfigDict(extra="forbid")
    who: str


class _Asks(AuthResolver):
    """Decides by the platform's word."""

    async def resolve(self, request: AuthRequest) -> Told:
        if request.caller is None:
            raise AuthError("sign in")
        return Told(who=f"{request.caller.kind} {request.caller.sub} {request.caller.user_id}")


class Asks(_Says):
    name = "asks"
    auth_model = Told
    auth_resolver = _Asks()
