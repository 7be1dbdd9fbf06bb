"""The official Python client (a2a-sdk) against an agent: argv is the agent's URL and what to do. Prints one JSON document."""

import asyncio
import json
import sys
import uuid
from typing import Any

import httpx
import jwt
from a2a.client import ClientConfig, ClientFactory, A2ACardResolver
from a2a.types import AgentCard, CancelTaskRequest, GetTaskRequest, Message, Part, Role, SendMessageRequest, SubscribeToTaskRequest, TaskState
from a2a.utils.signing import SignatureVerificationError, create_signature_verifier
from google.protobuf.json_format import ParseDict

URL, WHAT = sys.argv[1:3]


def verify(card: AgentCard) -> None:
    def key(kid: str | None, jku: str | None) -> jwt.PyJWK:
        keys = httpx.get(str(jku)).json()["keys"]
        return jwt.PyJWK(next(one for one in keys if one["kid"] == kid))

    create_signature_verifier(key, ["ES256"])(card)


def cards() -> dict[str, Any]:
    said: dict[str, Any] = {}
    for name, headers in {"current": {"a2a-version": "1.0"}, "both": {}}.items():
        raw = httpx.get(f"{URL}/.well-known/agent-card.json", headers=headers).json()
        card = ParseDict(raw, AgentCard(), ignore_unknown_fields=True)
        verify(card)
        card.skills[0].description = "something else"
        try:
            verify(card)
            said[name] = "a changed card passes"
        except SignatureVerificationError:
            said[name] = "verified"
    return said


def message(start: str, text: str = "hi", **more: str) -> SendMessageRequest:
    return SendMessageRequest(message=Message(message_id=f"{start}-{uuid.uuid4()}", role=Role.ROLE_USER, parts=[Part(text=text)], **more))


async def talk(binding: str) -> dict[str, Any]:
    import grpc.aio

    said: dict[str, Any] = {}
    async with httpx.AsyncClient(timeout=20) as http:
        card = await A2ACardResolver(http, URL).get_agent_card(signature_verifier=verify)
        config = ClientConfig(
            httpx_client=http, grpc_channel_factory=grpc.aio.insecure_channel, supported_protocol_bindings=[binding], use_client_preference=True
        )
        client = ClientFactory(config).create(card)
        events = [event async for event in client.send_message(message("tck-stream-001"))]
        said["stream"] = [event.WhichOneof("payload") for event in events]
        reply = [event async for event in client.send_message(message("tck-message-response"))]
        said["reply"] = reply[-1].message.parts[0].text
        asked = [event async for event in client.send_message(message("tck-input-required"))]
        task_id = next(event.task.id for event in asked if event.HasField("task"))
        said["asked"] = TaskState.Name((await client.get_task(GetTaskRequest(id=task_id))).status.state)
        follower = asyncio.create_task(states(client, task_id))
        await asyncio.sleep(0.5)
        answered = [event async for event in client.send_message(message("tck-complete-task", task_id=task_id))]
        said["answered"] = len(answered) > 0
        said["followed"] = (await asyncio.wait_for(follower, 10))[-1]
        other = [event async for event in client.send_message(message("tck-input-required"))]
        other_id = next(event.task.id for event in other if event.HasField("task"))
        said["cancelled"] = TaskState.Name((await client.cancel_task(CancelTaskRequest(id=other_id))).status.state)
        try:
            await client.get_task(GetTaskRequest(id="nope"))
        except Exception as error:  # noqa: BLE001
            said["missing"] = type(error).__name__
    return said


async def states(client: Any, task_id: str) -> list[str]:
    found: list[str] = []
    async for event in client.subscribe(SubscribeToTaskRequest(id=task_id)):
        status = event.status_update.status if event.HasField("status_update") else event.task.status
        found.append(TaskState.Name(status.state))
    return found


print(json.dumps(cards() if WHAT == "cards" else asyncio.run(talk(WHAT))))
