"""The class an author extends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from pydantic import BaseModel, ConfigDict
from typing_extensions import TypeVar

from .auth import AuthResolver, NoAuth
from .policies import EgressPolicy, Lifecycle, Resources, SetupField, State, WorkspaceAccess

if TYPE_CHECKING:
    from .context import LifecycleContext


class NoConfig(BaseModel):
    """An agent without a configuration."""

    model_config = ConfigDict(frozen=True, defer_build=True, extra="ignore")


ConfigT = TypeVar("ConfigT", bound=BaseModel, default=NoConfig)


class Agent(Generic[ConfigT]):
    """One class, its skills its methods:

    ``class Greeter(Agent): name = "greeter"; description = "…"; version = "0.1.0"`` and ``@skill()`` methods.
    With a configuration: ``class Greeter(Agent[Config]): config_model = Config`` and ``self.config``.
    """

    name: str
    """Unique on the platform; also the first label of the agent's host name."""
    description: str
    version: str
    """Semantic version."""
    config_model: type[ConfigT] | None = None
    auth_model: type[BaseModel] = NoAuth
    auth_resolver: AuthResolver | None = None
    required_secrets: tuple[str, ...] = ()
    required_env: tuple[str, ...] = ()
    consumer_setup: tuple[SetupField | Mapping[str, Any], ...] = ()
    """What each caller must, or may, give the agent first: found in ``ctx.setup``."""
    capabilities: Mapping[str, Any] = {}
    input_modes: tuple[str, ...] = ()
    output_modes: tuple[str, ...] = ()
    workspace_access: WorkspaceAccess = WorkspaceAccess.none()
    egress: EgressPolicy = EgressPolicy()
    tools_used: tuple[str, ...] = ()
    lifecycle: Lifecycle = "ephemeral"
    state: State = "stateless"
    state_schema: type[BaseModel] | None = None
    resources: Resources = Resources()
    concurrency: int = 1
    """Calls that run at the same time."""

    _unconfigured: ClassVar[str] = "config is read too early: read it inside a skill or startup(), not in __init__"
    __config: ConfigT | None = None

    @property
    def config(self) -> ConfigT:
        """The checked configuration."""
        if self.__config is None:
            raise RuntimeError(self._unconfigured)
        return self.__config

    def configure(self, config: Mapping[str, Any]) -> None:
        """Called once by the runtime, or by a test that makes an agent itself. Raises pydantic.ValidationError."""
        model: type[BaseModel] = self.config_model or NoConfig
        self.__config = model.model_validate(dict(config))  # type: ignore[assignment]

    async def startup(self, ctx: LifecycleContext) -> None:
        """Once, before the first invocation."""

    async def shutdown(self, ctx: LifecycleContext) -> None:
        """Once, before the process ends."""

    async def health(self) -> bool:
        """Asked every 5 s once the agent has started. False, or an exception, takes it out of service until it is true; callers read the
        message of AgentNotReady."""
        return True
