"""LangChain's adapters for MCP: tools that any LangChain agent calls."""

from langchain_mcp_adapters.callbacks import Callbacks
from langchain_mcp_adapters.client import MultiServerMCPClient
from mcp import types
from report import ANSWER, MCP, tell


async def answer(_context, _params, _where):
    return types.ElicitResult(action="accept", content=ANSWER)


async def steps():
    client = MultiServerMCPClient({"agent": {"transport": "streamable_http", "url": MCP}}, callbacks=Callbacks(on_elicitation=answer))
    async with client.session("agent", auto_initialize=False) as session:
        server = await session.initialize()
    tools = {tool.name: tool for tool in await client.get_tools()}
    return {
        "discover": server.serverInfo.name,
        "list": list(tools),
        "call": await tools["greet"].ainvoke({"name": "Ada"}),
        "refuse": await tools["add"].ainvoke({"a": "x"}),
        "answer": await tools["paint"].ainvoke({}),
    }


tell("langchain-mcp-adapters", steps)
