"""The MCP Python SDK of the first generation, with the revision of 2025."""

from mcp import ClientSession, types
from mcp.client.streamable_http import streamablehttp_client
from report import ANSWER, MCP, tell


async def answer(_context, _params):
    return types.ElicitResult(action="accept", content=ANSWER)


async def steps():
    async with streamablehttp_client(MCP) as (read, write, _), ClientSession(read, write, elicitation_callback=answer) as session:
        server = await session.initialize()
        return {
            "discover": f"{server.serverInfo.name} {server.protocolVersion}",
            "list": [tool.name for tool in (await session.list_tools()).tools],
            "call": text(await session.call_tool("greet", {"name": "Ada"})),
            "refuse": text(await session.call_tool("add", {"a": "x"})),
            "answer": text(await session.call_tool("paint", {})),
        }


def text(result):
    return result.content[0].text


tell("mcp", steps)
