"""The sample agent of docs/authoring/databases.md: it keeps notes in a table."""

import os

import psycopg
from svc import Agent, LifecycleContext, RunContext, skill


# region agent
class Notes(Agent):
    name = "notes"
    description = "Keeps notes in a database."
    version = "0.1.0"

    async def startup(self, ctx: LifecycleContext) -> None:
        async with await self.connect() as database:
            await database.execute("create table if not exists notes (id serial primary key, text text not null)")

    @skill(description="Keeps a note.")
    async def add(self, ctx: RunContext, text: str) -> None:
        async with await self.connect() as database:
            await database.execute("insert into notes (text) values (%s)", (text,))

    @skill(description="Lists the notes.")
    async def list(self, ctx: RunContext) -> list[str]:
        async with await self.connect() as database:
            rows = await (await database.execute("select text from notes order by id")).fetchall()
        return [text for (text,) in rows]

    async def connect(self) -> psycopg.AsyncConnection[tuple[str]]:
        return await psycopg.AsyncConnection.connect(os.environ["DATABASE_URL"])


# endregion
