"""Pydantic AI: its agent calls the tools of an MCP toolset, as a model on OpenAI's wire decides."""

from model import DecidedModel, ask
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from report import ANSWER, MCP, tell


async def answer(*_):
    return ANSWER


async def steps():
    with DecidedModel() as model:
        tools = MCPToolset(MCP, elicitation_handler=answer, tool_error_behavior="failed")
        chat = OpenAIChatModel("decided", provider=OpenAIProvider(base_url=model.url, api_key="none"))
        async with Agent(chat, toolsets=[tools]) as agent:

            async def run(tool, args):
                return (await agent.run(ask(tool, args))).output

            return {
                "discover": tools.server_info.name,
                "list": [tool.name for tool in await tools.list_tools()],
                "call": await run("greet", {"name": "Ada"}),
                "refuse": await run("add", {"a": "x", "b": 1}),
                "answer": await run("paint", {}),
            }


tell("pydantic-ai-slim", steps)
