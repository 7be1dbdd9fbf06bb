"""The run context over what the test gave: answers, files, other agents."""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from ..a2a import InMemoryA2AClient
from ..errors import QuestionTimeout, SandboxUnavailable, SkillNotFound
from ..recipient import Recipient
from .core import Asked
from .goals import Goals
from .memory import Memory
from .people import require_asked
from .workspace import Workspace


class MemoryBridge(Workspace, Memory, Goals):
    """Methods of the run context by their names on the wire."""

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        self.check_cancelled()
        if method.startswith("sandbox."):
            raise SandboxUnavailable("no sandbox here: sandboxes come with the platform")
        if method.startswith("llm."):
            return await self._agent.models.call(method, params)
        handler = cast(Callable[..., Awaitable[Any]], getattr(self, f"_{method.replace('.', '_')}"))
        return await handler(**params)

    async def _write_artifact(self, name: str, data: str, mime_type: str) -> dict[str, Any]:
        content = base64.b64decode(data)
        self.artifacts[name] = content
        ref = {"name": name, "uri": f"memory:{name}", "mime_type": mime_type, "size_bytes": len(content)}
        await self.emit("artifact", ref)
        return ref

    async def _ask(
        self,
        prompt: str,
        timeout: float,  # noqa: ASYNC109
        schema: Mapping[str, Any] | None = None,
        of: Recipient = "caller",
        name: str | None = None,
    ) -> str:
        require_asked(self._agent.people, self._caller, of)
        self._agent.asked.append(Asked(prompt, of))
        form = {} if schema is None else {"schema": dict(schema)}
        if of == "caller":
            await self.emit("question", {"question_id": f"qst_{uuid.uuid4()}", "prompt": prompt, **form})
        said = self._agent.answer
        answer = said(prompt) if callable(said) else said
        if isinstance(answer, Awaitable):
            answer = await answer
        if answer is None:
            raise QuestionTimeout(f"no answer to the question within {timeout:g} s")
        # The platform holds a form's answer against the schema before the skill gets it; here the test says what it is.
        return answer if isinstance(answer, str) else json.dumps(answer)

    async def _answer(self, question_id: str, answer: str) -> bool:
        return False

    async def _call(
        self,
        target: str,
        skill: str,
        args: Mapping[str, Any],
        grant: str | None,
        timeout: float,  # noqa: ASYNC109
    ) -> dict[str, Any]:
        others = InMemoryA2AClient({name: other.respond for name, other in self._agent.others.items()})
        return (await others.call(target, skill, args, grant, timeout)).model_dump(mode="json")

    async def _find_agents(self, tags: list[str], capability: str | None, skill: str | None, limit: int) -> list[Any]:
        def fits(card: Mapping[str, Any]) -> bool:
            skills = card["skills"]
            worn = {tag for one in skills for tag in one["tags"]}
            named = skill is None or any(one["id"] == skill for one in skills)
            return named and set(tags) <= worn and (capability is None or capability in card["capabilities"])

        found = [other.card for other in self._agent.others.values() if fits(other.card)]
        return [{"name": card["name"], "url": card["name"], "card": card} for card in found[:limit]]

    async def _get_agent(self, name: str) -> dict[str, Any]:
        for found in await self._find_agents([], None, None, len(self._agent.others)):
            if found["name"] == name:
                return cast(dict[str, Any], found)
        raise SkillNotFound(f'there is no agent "{name}" here')
