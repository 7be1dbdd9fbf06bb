"""The MCP Python SDK, with the revision of 2026."""

from mcp import Client, types
from report import ANSWER, MCP, tell


async def answer(_context, _params):
    return types.ElicitResult(action="accept", content=ANSWER)


async def steps():
    async with Client(MCP, elicitation_callback=answer) as client:
        return {
            "discover": f"{client.server_info.name} {client.protocol_version}",
            "list": [tool.name for tool in (await client.list_tools()).tools],
            "call": text(await client.call_tool("greet", {"name": "Ada"})),
            "refuse": text(await client.call_tool("add", {"a": "x"})),
            "answer": text(await client.call_tool("paint", {})),
        }


def text(result):
    return result.content[0].text


tell("mcp", steps)
