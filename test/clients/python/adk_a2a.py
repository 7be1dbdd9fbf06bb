"""Google ADK: an agent of ours as its remote agent, over A2A. It fetches the card itself."""

import httpx
from a2a.client import A2ACardResolver
from google.adk.agents.remote_a2a_agent import RemoteA2aAgent
from google.adk.runners import InMemoryRunner
from google.genai import types
from report import URL, tell


async def steps():
    async with httpx.AsyncClient() as http:
        card = await A2ACardResolver(http, URL).get_agent_card()
    runner = InMemoryRunner(RemoteA2aAgent(name="remote", agent_card=f"{URL}/.well-known/agent-card.json", use_legacy=False), app_name="clients")

    async def talk(*texts):
        session = await runner.session_service.create_session(app_name="clients", user_id="ada")
        said = []
        for text in texts:
            message = types.Content(role="user", parts=[types.Part(text=text)])
            async for event in runner.run_async(user_id="ada", session_id=session.id, new_message=message):
                said += [str(part) for part in (event.content.parts if event.content else [])] + [event.error_message or ""]
        return "\n".join(said)

    return {
        "discover": card.name,
        "list": [skill.id for skill in card.skills],
        "call": await talk('@greet {"name": "Ada"}'),
        "refuse": await talk('@add {"a": "x"}'),
        "answer": await talk("@paint", "blue"),
    }


tell("google-adk", steps)
