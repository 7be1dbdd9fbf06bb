"""Types that other frameworks declare, as parameters and results of a skill."""

from __future__ import annotations

import dataclasses
import inspect
import re
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NotRequired, Required
from urllib.parse import unquote

from pydantic import BaseModel, Field
from typing_extensions import TypedDict, get_type_hints, is_typeddict

from ..schema import ABSENT

Fields = dict[str, tuple[Any, Any]]
"""Type and default of each parameter; the default of a required one is ``inspect.Parameter.empty``."""

REQUIRED: Any = inspect.Parameter.empty


def fields_of(declared: Any, change: Callable[[Any], Any] = lambda annotation: annotation, *, partial: bool = False) -> Fields:
    """Of a pydantic model, a TypedDict or a dataclass; ``str``: one ``message``. ``partial``: keys of a TypedDict may all be left out.

    Raises TypeError for anything else.
    """
    if declared is str:
        return {"message": (Annotated[str, Field(min_length=1, description="What you want.")], REQUIRED)}
    if isinstance(declared, type) and issubclass(declared, BaseModel):
        return {field.alias or name: _of_model(field, change) for name, field in declared.model_fields.items()}
    if is_typeddict(declared):
        hints = get_type_hints(declared, include_extras=True)
        due = frozenset() if partial else declared.__required_keys__
        return {key: (change(bare(hint)), REQUIRED) if key in due else (change(bare(hint)), ABSENT) for key, hint in hints.items()}
    if dataclasses.is_dataclass(declared) and isinstance(declared, type):
        hints = get_type_hints(declared, include_extras=True)
        return {field.name: _of_dataclass(field, change(hints[field.name])) for field in dataclasses.fields(declared) if field.init}
    raise TypeError(f"{declared!r}: give `input` as a pydantic model, a TypedDict, a dataclass, or str")


def record_of(name: str, fields: Fields) -> Any:
    """A type of results with these members, which may be missing unless required."""
    members = {key: (Required if default is REQUIRED else NotRequired)[annotation] for key, (annotation, default) in fields.items()}
    return TypedDict(name, members)  # type: ignore[operator]


def bare(hint: Any) -> Any:
    """Without Required and NotRequired, and without what other frameworks annotate: reducers, channels …"""
    origin = typing.get_origin(hint)
    if origin in (Required, NotRequired, typing.Required, typing.NotRequired):
        return bare(typing.get_args(hint)[0])
    if origin is not Annotated:
        return hint
    kept = [extra for extra in hint.__metadata__ if not callable(extra) and type(extra).__module__.split(".")[0] in _OF_SCHEMAS]
    return Annotated[(hint.__origin__, *kept)] if kept else hint.__origin__


_OF_SCHEMAS = frozenset({"pydantic", "annotated_types"})


def _of_model(field: Any, change: Callable[[Any], Any]) -> tuple[Any, Any]:
    annotation = change(field.annotation)
    annotated = Annotated[(annotation, *field.metadata)] if field.metadata else annotation
    if field.description:
        annotated = Annotated[annotated, Field(description=field.description)]
    if field.is_required():
        return annotated, REQUIRED
    # Shown to callers where JSON has it; else the model itself knows what it is.
    return (annotated, field.default) if isinstance(field.default, str | int | float | bool | None) else (annotated, ABSENT)


def _of_dataclass(field: dataclasses.Field[Any], annotation: Any) -> tuple[Any, Any]:
    has_default = field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
    return annotation, ABSENT if has_default else REQUIRED


def _at_reference(reference: str, document: Any) -> Any:
    """What ``#/$defs/thing`` names (RFC 6901, section 6: percent-decoded, then read); ``{}`` where nothing is there."""
    found: Any = document
    for step in unquote(reference[2:], errors="surrogateescape").split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping) and name in found:
            found = found[name]
        elif isinstance(found, list) and re.fullmatch("0|[1-9][0-9]*", name) and int(name) < len(found):
            found = found[int(name)]
        else:
            return {}
    return found


def with_refs_inlined(schema: Any, document: Mapping[str, Any], seen: tuple[str, ...] = ()) -> Any:
    """JSON Schema without ``$ref``; where one leads back to itself, anything fits."""
    if isinstance(schema, list):
        return [with_refs_inlined(one, document, seen) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    ref = schema.get("$ref")
    if isinstance(ref, str):
        if ref in seen or not ref.startswith("#/"):
            return {}
        return with_refs_inlined(_at_reference(ref, document), document, (*seen, ref))
    return {key: with_refs_inlined(value, document, seen) for key, value in schema.items()}
