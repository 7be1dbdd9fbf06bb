"""Calls operations through FastMCP's from_openapi: a JSON document on standard input, one line of JSON for each call on standard output."""

import asyncio
import json
import logging
import sys

import httpx2
from fastmcp import Client, FastMCP

logging.disable(logging.CRITICAL)


async def main() -> None:
    given = json.load(sys.stdin)
    async with httpx2.AsyncClient(base_url=given["base_url"]) as http:
        server = FastMCP.from_openapi(openapi_spec=given["document"], client=http, name="fifty")
        async with Client(server) as client:
            for call in given["calls"]:
                try:
                    await client.call_tool(call["name"], call["args"])
                    failed = None
                except Exception as error:
                    failed = str(error)
                print(json.dumps({"name": call["name"], "failed": failed}), flush=True)


asyncio.run(main())
