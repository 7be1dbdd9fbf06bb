# FastMCP's client at an address of which it knows nothing else: it finds where to sign in, registers itself,
# and opens a page, whose address is printed instead.
import asyncio
import json
import sys
import webbrowser

from fastmcp import Client
from fastmcp.client.auth import OAuth

webbrowser.open = lambda address: print(json.dumps({"open": address}), flush=True)


async def main(url: str) -> None:
    async with Client(url, auth=OAuth(callback_timeout=120)) as client:
        tools = await client.list_tools()
        result = await client.call_tool("greet", {"name": "Ada"})
        print(json.dumps({"tools": sorted(tool.name for tool in tools), "result": str(result.data or result.content)}), flush=True)


asyncio.run(main(sys.argv[1]))
