"""Has the official Python client take steps at a server, and prints what came of each as one JSON object.

    python drive.py legacy|auto '{"command": "...", "args": [...], "env": {...}}' '[{"list": true}, {"call": "name"}]'

The steps are those of drive.mjs.
"""

import asyncio
import json
import os
import sys
import time

import mcp_types as types
from mcp import StdioServerParameters
from mcp.client.client import Client

mode, server, given = sys.argv[1:4]
how = json.loads(server)


async def elicit(context, params):
    return types.ElicitResult(action="accept", content={"name": "Ada"})


async def roots(context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///here", name="here")])


async def sample(context, params):
    text = types.TextContent(type="text", text="as if a model had said it")
    return types.CreateMessageResult(model="test", role="assistant", content=text)


PATIENCE = 60


def is_early(answer):
    said = json.dumps(answer, ensure_ascii=False)
    return any(early in said for early in ("still being started", "is not searched yet"))


async def call(client, step):
    until = time.monotonic() + PATIENCE
    while True:
        answer = None
        try:
            answer = plain(await client.call_tool(step["call"], step.get("arguments", {})))
            if not is_early(answer) and not (step.get("patient") and answer.get("isError")):
                return answer
        except Exception:
            if not step.get("patient") or time.monotonic() > until:
                raise
        if time.monotonic() > until:
            return answer
        await asyncio.sleep(0.1)


def plain(answer):
    return answer.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main():
    changed = 0

    async def hear(message):
        nonlocal changed
        if type(message).__name__ == "ToolListChangedNotification":
            changed += 1

    environment = {**os.environ, **how.get("env", {})}
    target = StdioServerParameters(
        command=how["command"], args=how["args"], env=environment, cwd=how.get("cwd")
    )
    can = {}
    if how.get("asks"):
        can = {"elicitation_callback": elicit, "list_roots_callback": roots, "sampling_callback": sample}
    steps = []
    known = 0
    async with Client(target, mode=mode, message_handler=hear, **can) as client:
        for step in json.loads(given):
            try:
                if step.get("list"):
                    steps.append(plain(await client.list_tools())["tools"])
                elif "call" in step:
                    steps.append(await call(client, step))
                elif "read" in step:
                    steps.append(plain(await client.read_resource(step["read"])))
                elif "prompt" in step:
                    steps.append(plain(await client.get_prompt(step["prompt"], step.get("arguments"))))
                else:
                    if "change" in step:
                        until = time.monotonic() + step["change"] / 1000
                        while changed == known and time.monotonic() < until:
                            await asyncio.sleep(0.02)
                    else:
                        seen = None
                        while changed != seen:
                            seen = changed
                            await asyncio.sleep(step["quiet"] / 1000)
                    known = changed
                    steps.append(changed)
            except Exception as error:
                steps.append({"failed": {"message": str(error)}})
    print(json.dumps({"steps": steps, "changed": changed}))


asyncio.run(main())
