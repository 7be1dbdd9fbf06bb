"""Google ADK: its agent calls the tools of an MCP toolset, as a model decides."""

import json

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams
from google.genai import types
from mcp.types import ElicitResult
from model import ask
from report import ANSWER, MCP, tell


class Decided(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        last = llm_request.contents[-1].parts[-1]
        if last.function_response:
            part = types.Part(text=json.dumps(last.function_response.response))
        else:
            wanted = json.loads(last.text)
            part = types.Part(function_call=types.FunctionCall(name=wanted["tool"], args=wanted["args"]))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def answer(_context, _params):
    return ElicitResult(action="accept", content=ANSWER)


async def steps():
    tools = McpToolset(connection_params=StreamableHTTPConnectionParams(url=MCP), elicitation_callback=answer)
    runner = InMemoryRunner(LlmAgent(name="caller", model=Decided(model="decided"), tools=[tools]), app_name="clients")

    async def run(tool, args):
        session = await runner.session_service.create_session(app_name="clients", user_id="ada")
        message = types.Content(role="user", parts=[types.Part(text=ask(tool, args))])
        events = [event async for event in runner.run_async(user_id="ada", session_id=session.id, new_message=message)]
        return events[-1].content.parts[0].text

    said = {
        "list": [tool.name for tool in await tools.get_tools()],
        "call": await run("greet", {"name": "Ada"}),
        "refuse": await run("add", {"a": "x", "b": 1}),
        "answer": await run("paint", {}),
    }
    await runner.close()
    return said


tell("google-adk", steps)
