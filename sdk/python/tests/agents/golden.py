"""The golden agent's twin: its card must be that of sdk/golden, byte for byte in canonical JSON."""

from svc import Agent, EgressPolicy, Resources, RunContext, WorkspaceAccess, skill


class Golden(Agent):
    name = "golden"
    description = "One of everything a card can say: “quotes”, ünïcödé and a tab\t."
    version = "1.2.3-rc.1+build.5"
    required_secrets = ("API_TOKEN",)
    required_env = ("REGION",)
    capabilities = {"streaming": True, "languages": ["en", "de"]}  # noqa: RUF012
    input_modes = ("application/json",)
    output_modes = ("application/json", "text/event-stream")
    tools_used = ("git", "ripgrep")
    lifecycle = "session"
    state = "durable"
    resources = Resources(cpu="250m", memory="512Mi", gpu=0, max_runtime_seconds=120)
    concurrency = 4
    egress = EgressPolicy(allow_hosts=("api.example.com", "*.example.org"), allow_internal_services=("search",))
    workspace_access = WorkspaceAccess.dynamic(
        max_files=5,
        allowed_modes=("read_only", "read_write_overlay"),
        deny_patterns=("**/.env",),
        require_human_approval=True,
    )

    @skill()
    async def plain(self, ctx: RunContext):  # type: ignore[no-untyped-def]
        return None

    @skill(
        name="search",
        description="Finds things.",
        tags=("find", "read"),
        scopes=("items:read",),
        stream=True,
        timeout_seconds=12.5,
        idempotent=True,
        max_retries=2,
        cost_class="cheap",
        allow_scope_expansion=True,
    )
    async def look(
        self,
        ctx: RunContext,
        query: str,
        limit: int = 10,
        exact: bool = False,
        tags: list[str] = [],  # noqa: B006 (copied for each call)
        weight: float | None = None,
    ) -> list[str]:
        return []
