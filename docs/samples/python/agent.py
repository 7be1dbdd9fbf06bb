"""The sample agent of docs/authoring/python.md: one skill for each section. The guide includes the marked regions."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field
from svc import (
    Agent,
    CallFailed,
    EmailAttachment,
    ModelFailed,
    QuestionTimeout,
    Resources,
    RunContext,
    SetupField,
    SkillInputError,
    SkillInvocationError,
    WorkspaceAccess,
    skill,
)


class Config(BaseModel):
    currency: str = "EUR"


class Greeting(BaseModel):
    text: str


# region forms
class Order(BaseModel):
    item: Literal["tea", "coffee"]
    cups: Annotated[int, Field(ge=1, le=10)]
    sugar: bool


# endregion


# region class
class FrontDesk(Agent[Config]):
    name = "front-desk"
    description = "Greets visitors, takes orders and keeps notes."
    version = "0.1.0"
    # endregion
    # region declaration
    config_model = Config
    required_secrets = ("SUPPLIER_KEY",)
    consumer_setup = (SetupField(name="room", title="Room number", required=True),)
    workspace_access = WorkspaceAccess.dynamic(max_files=5, allowed_modes=("read_only", "read_write_overlay"))
    resources = Resources(cpu="500m", memory="256Mi", max_runtime_seconds=120)
    concurrency = 4
    # endregion

    # region skills
    @skill(description="Greets one person.", tags=("greeting",))
    async def greet(self, ctx: RunContext, name: Annotated[str, Field(min_length=1)]) -> Greeting:
        return Greeting(text=f"Hello, {name}!")

    # endregion

    # region context
    @skill(description="Names the price of a cup.")
    async def price(self, ctx: RunContext) -> Greeting:
        key = ctx.secret("SUPPLIER_KEY")
        ctx.log.info("asked for a price", key_length=len(key))
        return Greeting(text=f"2 {self.config.currency}, brought to room {ctx.setup['room']}")

    # endregion

    # region ask
    @skill(description="Waves, if the caller wants it.")
    async def wave(self, ctx: RunContext) -> bool:
        try:
            return await ctx.ask("Shall I wave? (yes or no)", timeout=3600) == "yes"
        except QuestionTimeout:
            return False

    # endregion

    # region form-skill
    @skill(description="Takes an order.")
    async def order(self, ctx: RunContext) -> Order:
        answer = await ctx.ask("What would you like?", timeout=3600, schema=Order.model_json_schema())
        return Order.model_validate_json(answer)

    # endregion

    # region files
    @skill(description="Writes a summary of a note.", allow_scope_expansion=True)
    async def summarize(self, ctx: RunContext, path: str) -> str:
        notes = await ctx.workspace.request_access([path], mode="read_only", reason=f"to summarize {path}")
        first_line = (await notes.read(path)).decode().split("\n")[0]
        await ctx.request_scope("to write the summary", write_prefix="summaries", mode="read_write_overlay", timeout=3600)
        summaries = await ctx.workspace.view()
        patch = await summaries.write("summaries/note.md", f"{first_line}\n")
        return patch.path

    # endregion

    # region calls
    @skill(description="Has another agent greet someone.")
    async def shout(self, ctx: RunContext, name: str) -> Greeting:
        found = await ctx.find_agents(tags=["loud"], skill="greet", limit=1)
        if not found:
            raise SkillInvocationError('No agent with the tag "loud" is available. Deploy one first.')
        greeter = found[0]
        try:
            done = await ctx.call(greeter.url or greeter.name, "greet", {"name": name}, timeout=30)
        except CallFailed as error:
            raise SkillInvocationError(f"{greeter.name} failed: {error.callee_code}") from error
        return Greeting.model_validate(done.result)

    # endregion

    # region sandbox
    @skill(description="Runs Python code in a machine of its own.")
    async def compute(self, ctx: RunContext, code: str) -> str:
        done = await ctx.sandbox.run_python(code, timeout=30)
        if done.exit_code != 0:
            raise SkillInvocationError(f"The code ended with {done.exit_code}: {done.stderr[-500:]}")
        return done.stdout

    # endregion

    # region llm
    @skill(description="Recommends a drink, word by word.", stream=True)
    async def recommend(self, ctx: RunContext, mood: str) -> str:
        prompt = f"Recommend a drink for somebody who feels {mood}."
        stream = ctx.llm.stream(prompt, system="Answer in one sentence.", max_tokens=200)
        async for delta in stream:
            await ctx.emit_text_delta(delta)
        done = await stream.result()
        ctx.log.info("recommended", tokens=done.usage.output_tokens)
        return done.text

    @skill(description="Notes an order that was said in words.")
    async def note(self, ctx: RunContext, said: str) -> Order:
        try:
            return await ctx.llm.object(Order, f"Which order is this? {said}")
        except ModelFailed as error:
            if error.model_code == "llm_cap_reached":
                raise SkillInvocationError(f"No order today: {error}") from error
            raise

    # endregion

    # region memory
    @skill(description="Counts your visits.")
    async def visit(self, ctx: RunContext) -> int:
        while True:
            entry = await ctx.memory.get("visits")
            visits = int(entry.value) + 1 if entry else 1
            # None when another run wrote first: read again.
            if await ctx.memory.put("visits", visits, if_version=entry.version if entry else 0):
                return visits

    # endregion

    # region streaming
    @skill(description="Counts to a number and writes down how far it came.", stream=True, timeout_seconds=60)
    async def count(self, ctx: RunContext, to: Annotated[int, Field(ge=1, le=1000)]) -> int:
        for n in range(1, to + 1):
            ctx.check_cancelled()
            await ctx.emit_progress("counting", n, to)
            await ctx.emit_text_delta(f"{n} ")
        await ctx.emit_artifact(await ctx.write_artifact("count.txt", f"{to}\n", "text/plain"))
        return to

    # endregion

    # region mail
    @skill(description="Answers mail.")
    async def on_email(self, ctx: RunContext, subject: str, attachments: list[EmailAttachment]) -> str:
        return f'Thank you for "{subject}" with {len(attachments)} files.'

    # endregion

    # region errors
    @skill(description="Splits a bill.", idempotent=True, max_retries=2)
    async def split(self, ctx: RunContext, total: Annotated[float, Field(ge=0)], guests: int) -> float:
        if guests < 1:
            raise SkillInputError("The bill needs at least one guest.")
        return total / guests

    # endregion
