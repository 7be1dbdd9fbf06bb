"""The A2A Python SDK, over JSON-RPC."""

import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, SendMessageRequest
from google.protobuf.json_format import MessageToJson, ParseDict
from report import URL, tell


def message(part, **more):
    return SendMessageRequest(message=ParseDict({"messageId": str(uuid.uuid4()), "role": "ROLE_USER", "parts": [part], **more}, Message()))


def call(skill, args):
    return message({"data": args}, metadata={"skill": skill})


async def steps():
    async with httpx.AsyncClient(timeout=30) as http:
        card = await A2ACardResolver(http, URL).get_agent_card()
        client = ClientFactory(ClientConfig(httpx_client=http)).create(card)

        async def send(request):
            return [event async for event in client.send_message(request)]

        try:
            refused = str(await send(call("add", {"a": "x"})))
        except Exception as error:  # noqa: BLE001
            refused = f"{type(error).__name__}: {error}"
        asked = await send(call("paint", {}))
        task = next(event.task.id for event in asked if event.HasField("task"))
        answered = await send(message({"text": "blue"}, taskId=task))
        return {
            "discover": card.name,
            "list": [skill.id for skill in card.skills],
            "call": "".join(MessageToJson(event) for event in await send(call("greet", {"name": "Ada"}))),
            "refuse": refused,
            "answer": "".join(MessageToJson(event) for event in answered),
        }


tell("a2a-sdk", steps)
