"""The OpenAI Agents SDK: its runner calls the tools that a model on OpenAI's wire decides for."""

import re

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from model import DecidedModel, ask
from openai import AsyncOpenAI
from report import ANSWER, MCP, tell

set_tracing_disabled(True)


async def steps():
    with DecidedModel() as model:
        async with MCPServerStreamableHttp({"url": MCP}, client_session_timeout_seconds=30) as server:
            chat = OpenAIChatCompletionsModel("decided", AsyncOpenAI(base_url=model.url, api_key="none"))
            agent = Agent(name="caller", model=chat, mcp_servers=[server])

            async def run(tool, args):
                return (await Runner.run(agent, ask(tool, args))).final_output

            # Without forms: the model passes the question on, and the answer as a call.
            question = re.search(r"qst_[0-9a-f-]{36}", await run("paint", {}))
            return {
                "discover": server.server_initialize_result.serverInfo.name,
                "list": [tool.name for tool in await server.list_tools()],
                "call": await run("greet", {"name": "Ada"}),
                "refuse": await run("add", {"a": "x", "b": 1}),
                "answer": await run("answer_question", {"question_id": question[0], **ANSWER}),
            }


tell("openai-agents", steps)
