"""A server of the official Python SDK whose tools ask the client: of 2026-07-28 by the answers to calls, of older
revisions by requests in mid-call.

    python ask.py
"""

from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from mcp_types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("ask")


class Who(BaseModel):
    name: str


async def ask_who() -> Elicit[Who]:
    return Elicit("Who is it?", Who)


async def ask_model() -> Sample:
    text = TextContent(type="text", text="Say something")
    return Sample([SamplingMessage(role="user", content=text)], max_tokens=10)


async def ask_roots() -> ListRoots:
    return ListRoots()


@server.tool()
async def greet(word: str, who: Annotated[Who, Resolve(ask_who)]) -> str:
    """Greets whom the client names."""
    return f"{word} {who.name}"


@server.tool()
async def all_three(
    who: Annotated[Who, Resolve(ask_who)],
    said: Annotated[CreateMessageResult, Resolve(ask_model)],
    roots: Annotated[ListRootsResult, Resolve(ask_roots)],
) -> str:
    """Asks for everything that can be asked for."""
    return f"{who.name} / {said.content.text} / {roots.roots[0].uri}"


server.run()
