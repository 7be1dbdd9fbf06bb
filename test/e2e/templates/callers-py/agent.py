"""Says who calls it: people by the platform's word, programs by a key of its own. `pass_on` calls another of these."""

import base64
import json
from typing import Any

from svc import Agent, APIKeyAuth, APIKeyAuthResolver, PlatformUserAuth, PlatformUserAuthResolver, RunContext, skill


def said(ctx: RunContext[Any]) -> str:
    caller = None if ctx.caller is None else ctx.caller.model_dump(mode="json")
    seen = json.dumps({"auth": ctx.auth.model_dump(mode="json"), "caller": caller}).encode()
    return f"seen:{base64.urlsafe_b64encode(seen).decode().rstrip('=')};"


class Says(Agent):
    description = "Says who calls it."
    version = "1.0.0"
    concurrency = 4

    @skill()
    async def who(self, ctx: RunContext[Any]) -> str:
        return said(ctx)

    @skill(scopes=("admin",))
    async def admin(self, ctx: RunContext[Any]) -> str:
        return said(ctx)

    @skill(name="pass")
    async def pass_on(self, ctx: RunContext[Any], to: str) -> Any:
        return (await ctx.call(to, "who", {})).result


class People(Says):
    name = "says"
    auth_model = PlatformUserAuth
    auth_resolver = PlatformUserAuthResolver()


class Key(Says):
    name = "says"
    auth_model = APIKeyAuth
    auth_resolver = APIKeyAuthResolver("theirs")
