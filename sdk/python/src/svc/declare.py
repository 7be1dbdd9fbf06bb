"""Makes skills and card from an agent class, and checks them. Reports all problems at once."""

from __future__ import annotations

import inspect
import re
import typing
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.errors import PydanticUserError
from pydantic_core import PydanticSerializationError

from .agent import Agent
from .auth import AuthResolver, NoAuth
from .context import RunContext
from .errors import Issue, SkillInputError, SkillOutputError
from .policies import EgressPolicy, Resources, SetupField, WorkspaceAccess
from .problems import AgentDeclarationError, Problem, place_of
from .schema import input_schema, model_schema, output_schema
from .skill import SkillDeclaration, declaration_of

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_SKILL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_SEMVER = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True)
class BoundSkill:
    id: str
    attribute: str
    card: dict[str, Any]
    handler: Callable[..., Any]
    input: type[BaseModel]
    """Closed; one field ``arg_n`` a parameter, its alias the parameter's name."""
    output: TypeAdapter[Any] | None
    parameters: tuple[tuple[str, str], ...]
    """Of the fields of ``input``: their names, and the parameters' they stand for."""

    def arguments(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the handler gets them. Raises SkillInputError."""
        try:
            model = self.input.__pydantic_validator__.validate_python(raw)
        except ValidationError as error:
            message = f'the arguments do not fit the input schema of "{self.id}"'
            raise SkillInputError(message, issues_of(error)) from None
        values = vars(model)
        return {parameter: values[field] for field, parameter in self.parameters}

    def written(self, value: Any) -> bytes | None:
        """The result as JSON text; None where ``result`` has to decide what it is, or why it is none."""
        try:
            text = (self.output or _ANYTHING).serializer.to_json(value, by_alias=True, warnings="error")
        except (PydanticSerializationError, ValueError):
            return None
        # A number that JSON has no word for is written as null.
        return None if b"null" in text or b"NaN" in text or b"Infinity" in text else text

    def result(self, value: Any) -> Any:
        """The result as JSON. Raises SkillOutputError."""
        adapter = self.output or _ANYTHING
        try:
            return adapter.dump_python(value, mode="json", by_alias=True, warnings="error")
        except (PydanticSerializationError, ValueError) as error:
            # pydantic shows the value, too; the caller need not see it.
            reason = re.search(r"[Ee]xpected `[^`]*`[^\n(\[]*?(?= but| - |\n|$)", str(error))
            wanted = f": {reason[0].strip()}" if reason else ""
            field = re.search(r"field_name='([^']{1,200})'", str(error))
            place = f" at {field[1]}" if field else ""
            message = f'the result of "{self.id}" does not fit the type it declares{place}{wanted}'
            what = reason[0].strip() if reason else "does not fit"
            issues: list[Issue] = [{"path": [field[1]], "code": "invalid_type", "message": what}] if field else []
            raise SkillOutputError(message, issues) from error


@dataclass(frozen=True)
class Declaration:
    card: dict[str, Any]
    skills: Mapping[str, BoundSkill]


_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)


def issues_of(error: ValidationError) -> list[Issue]:
    return [
        {"path": list(item["loc"]), "code": item["type"], "message": item["msg"]}
        for item in error.errors(include_url=False, include_context=False, include_input=False)
    ]


def declare(cls: type[Agent[Any]]) -> Declaration:
    """Raises AgentDeclarationError with every problem, each with file and line."""
    problems: list[Problem] = []

    def say(attribute: str, message: str) -> None:
        file, line, column = place_of(cls, attribute)
        problems.append(Problem(message=f"{attribute}: {message}", file=file, line=line, column=column))

    skills: dict[str, BoundSkill] = {}
    marked = list(_marked(cls))
    for attribute, handler, declaration in marked:
        bound = _bind(attribute, handler, declaration, say)
        if bound is None:
            continue
        if bound.id in skills:
            say(attribute, f'two skills are named "{bound.id}"; give one of them another name')
        skills[bound.id] = bound
    if not marked:
        say("class", "no skills: mark an async method with @skill()")
    card = _card(cls, list(skills.values()), say)
    if problems:
        raise AgentDeclarationError(str(getattr(cls, "name", cls.__name__)), problems)
    return Declaration(card=card, skills=skills)


def _marked(cls: type[Agent[Any]]) -> Iterator[tuple[str, Callable[..., Any], SkillDeclaration]]:
    """In the order they were written, those of base classes first; an override takes its place."""
    seen: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        for attribute, value in vars(base).items():
            plain = value.__func__ if isinstance(value, staticmethod | classmethod) else value
            if declaration_of(plain) is not None or attribute in seen:
                seen[attribute] = plain
    for attribute, handler in seen.items():
        declaration = declaration_of(handler)
        if declaration is not None:
            yield attribute, handler, declaration


def _bind(attribute: str, handler: Callable[..., Any], declaration: SkillDeclaration, say: Callable[[str, str], None]) -> BoundSkill | None:
    wrong: list[str] = []
    skill_id = declaration.name if declaration.name is not None else attribute
    if not isinstance(skill_id, str) or not _SKILL_NAME.fullmatch(skill_id):
        wrong.append("the name must start with a letter, then letters, digits, _ or - (64 at most)")
    if skill_id == "answer_question":
        wrong.append('"answer_question" is the tool by which MCP clients answer what a skill asks: give the skill another name')
    if not inspect.iscoroutinefunction(handler):
        what = "returns its result instead of yielding it" if inspect.isasyncgenfunction(handler) else "is `async def`"
        wrong.append(f"the handler must be asynchronous: one that {what}; report progress with ctx.emit_…")
    wrong.extend(_policy_problems(declaration))
    try:
        hints = typing.get_type_hints(handler, include_extras=True)
    except Exception as error:
        wrong.append(f"its annotations cannot be read: {error}")
        hints = None
    fields = _fields(handler, hints, wrong)
    for message in wrong:
        say(attribute, message)
    if wrong or hints is None:
        return None
    try:
        model = _input_model(skill_id, fields)
        output = TypeAdapter(hints["return"]) if hints.get("return", Any) is not Any else None
        schemas = {
            "input_schema": input_schema(model),
            "output_schema": output_schema(output) if output is not None else {},
        }
    except (PydanticUserError, ValueError, TypeError, NameError) as error:
        say(
            attribute,
            f"its schema cannot be published as JSON Schema: {str(error).splitlines()[0]}; use types JSON has",
        )
        return None
    card = {
        "id": skill_id,
        "name": skill_id,
        "description": declaration.description,
        "tags": list(declaration.tags),
        "scopes": list(declaration.scopes),
        "stream": declaration.stream,
        "policy": {
            "timeout_seconds": declaration.timeout_seconds,
            "idempotent": declaration.idempotent,
            "max_retries": declaration.max_retries,
            "cost_class": declaration.cost_class,
            "allow_scope_expansion": declaration.allow_scope_expansion,
        },
        **schemas,
    }
    parameters = tuple((name, field.alias or name) for name, field in model.model_fields.items())
    return BoundSkill(id=skill_id, attribute=attribute, card=card, handler=handler, input=model, output=output, parameters=parameters)


def _policy_problems(declaration: SkillDeclaration) -> Iterator[str]:
    timeout, retries = declaration.timeout_seconds, declaration.max_retries
    if timeout is not None and not timeout > 0:
        yield "timeout_seconds must be greater than 0, or None"
    if not isinstance(retries, int) or retries < 0:
        yield "max_retries must be 0 or more"


def _fields(handler: Callable[..., Any], hints: Mapping[str, Any] | None, wrong: list[str]) -> dict[str, tuple[Any, Any]]:
    parameters = list(inspect.signature(handler).parameters.values())
    if len(parameters) < 2 or any(parameter.kind not in _POSITIONAL for parameter in parameters[:2]):
        wrong.append("its first parameter after the instance is the run context: write `(self, ctx: RunContext, …)`")
        return {}
    context = parameters[1]
    given = (hints or {}).get(context.name, RunContext)
    if hints is not None and not _is_context(given):
        wrong.append(f'its first parameter "{context.name}" is the run context: annotate it as RunContext, or add it')
    fields: dict[str, tuple[Any, Any]] = {}
    for parameter in parameters[2:]:
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            stars = "*" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else "**"
            wrong.append(f"{stars}{parameter.name} is variadic: name each parameter, so that the schema can list it")
        elif parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            wrong.append(f'parameter "{parameter.name}" is positional only, but arguments come by name: move the "/"')
        elif parameter.annotation is inspect.Parameter.empty:
            wrong.append(f'parameter "{parameter.name}" needs a type annotation')
        elif hints is not None:
            default = ... if parameter.default is inspect.Parameter.empty else parameter.default
            fields[parameter.name] = (hints[parameter.name], default)
    return fields


def _is_context(annotation: Any) -> bool:
    origin = typing.get_origin(annotation) or annotation
    return origin is Any or origin is RunContext or (isinstance(origin, type) and issubclass(origin, RunContext))


def _input_model(skill_id: str, fields: Mapping[str, tuple[Any, Any]]) -> type[BaseModel]:
    # Parameters may have names a model has of its own (json, copy …), so fields are numbered and the names are aliases.
    numbered: dict[str, Any] = {
        f"arg_{index}": (annotation, Field(default, alias=name)) for index, (name, (annotation, default)) in enumerate(fields.items())
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return create_model(f"{skill_id} arguments", __config__=ConfigDict(extra="forbid"), **numbered)


def _card(cls: type[Agent[Any]], skills: list[BoundSkill], say: Callable[[str, str], None]) -> dict[str, Any]:
    name, version = getattr(cls, "name", None), getattr(cls, "version", None)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        say("name", 'use lower-case letters, digits and inner hyphens (63 at most), e.g. "text-kit"')
    if not isinstance(getattr(cls, "description", None), str):
        say("description", "say in a sentence what the agent does")
    if not isinstance(version, str) or not _SEMVER.fullmatch(version):
        say("version", 'use a semantic version such as "0.1.0"')
    for attribute in ("required_secrets", "required_env", "input_modes", "output_modes", "tools_used"):
        value = getattr(cls, attribute)
        if not isinstance(value, tuple | list) or not all(isinstance(item, str) for item in value):
            say(attribute, 'write a tuple of strings, e.g. ("A", "B"); for one: ("A",)')
    if cls.lifecycle not in ("ephemeral", "session", "persistent"):
        say("lifecycle", "use ephemeral, session or persistent")
    if cls.state not in ("stateless", "session", "durable"):
        say("state", "use stateless, session or durable")
    if not isinstance(cls.concurrency, int) or isinstance(cls.concurrency, bool) or cls.concurrency < 1:
        say("concurrency", "use 1 or more")
    expected: dict[str, type[BaseModel]] = {"workspace_access": WorkspaceAccess, "egress": EgressPolicy, "resources": Resources}
    policies = {attribute: _policy(cls, attribute, model, say) for attribute, model in expected.items()}
    for attribute in ("config_model", "auth_model", "state_schema"):
        value = getattr(cls, attribute)
        if value is not None and not (isinstance(value, type) and issubclass(value, BaseModel)):
            say(attribute, "use a pydantic model class")
    if cls.auth_resolver is not None and not isinstance(cls.auth_resolver, AuthResolver):
        say("auth_resolver", "use one of the resolvers, or an instance of a class that extends AuthResolver")
    elif getattr(cls.auth_resolver, "auth_model", None) not in (None, cls.auth_model) and cls.auth_model is not NoAuth:
        say("auth_resolver", "its auth_model is not that of the agent: name one of them")
    try:
        capabilities = _ANYTHING.dump_python(dict(cls.capabilities), mode="json")
        state_schema = model_schema(cls.state_schema) if cls.state_schema is not None else None
    except (TypeError, ValueError, AttributeError, PydanticUserError, PydanticSerializationError) as error:
        say("capabilities", f"cannot be written as JSON: {str(error).splitlines()[0]}")
        return {}
    return {
        "name": name,
        "description": getattr(cls, "description", None),
        "version": version,
        "skills": [bound.card for bound in skills],
        "capabilities": capabilities,
        "input_modes": list(cls.input_modes),
        "output_modes": list(cls.output_modes),
        "required_secrets": list(cls.required_secrets),
        "required_env": list(cls.required_env),
        "runtime": {
            "lifecycle": cls.lifecycle,
            "state": cls.state,
            "sandbox": "microvm",
            "resources": policies["resources"],
            "concurrency": cls.concurrency,
            "egress": policies["egress"],
            "tools_used": list(cls.tools_used),
        },
        "state_schema": state_schema,
        "workspace_access": policies["workspace_access"],
        **({"consumer_setup": fields} if (fields := _setup_fields(cls, say)) else {}),
    }


def _setup_fields(cls: type[Agent[Any]], say: Callable[[str, str], None]) -> list[dict[str, Any]]:
    fields: list[dict[str, Any]] = []
    for at, value in enumerate(cls.consumer_setup):
        try:
            field = value if isinstance(value, SetupField) else SetupField.model_validate(value)
            fields.append(field.model_dump(mode="json", exclude_none=True))
        except ValidationError as error:
            for issue in issues_of(error):
                say("consumer_setup", f"{at}.{'.'.join(map(str, issue['path'])) or '(top)'}: {issue['message']}")
    if len({field["name"] for field in fields}) < len(fields):
        say("consumer_setup", "two fields have the same name")
    if len(fields) > 64:
        say("consumer_setup", "64 fields at most")
    return fields


def _policy(cls: type[Agent[Any]], attribute: str, model: type[BaseModel], say: Callable[[str, str], None]) -> dict[str, Any]:
    value = getattr(cls, attribute)
    if not isinstance(value, model | Mapping):
        ways = "WorkspaceAccess.dynamic(…) or WorkspaceAccess.none()" if model is WorkspaceAccess else f"{model.__name__}(…)"
        say(attribute, f"use {ways}")
        return {}
    try:
        return (value if isinstance(value, model) else model.model_validate(value)).model_dump(mode="json")
    except ValidationError as error:
        for issue in issues_of(error):
            say(attribute, f"{'.'.join(map(str, issue['path'])) or '(top)'}: {issue['message']}")
        return {}
