"""The operations of an OpenAPI description as skills: their arguments, and the request that they make."""

from __future__ import annotations

import json
import keyword
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from pydantic import WithJsonSchema

from ..errors import SkillInputError
from ..schema import ABSENT
from ._types import REQUIRED, Fields, with_refs_inlined

_METHODS = ("get", "put", "post", "delete", "patch")
_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"
# What a caller does not choose.
_OWN_HEADERS = frozenset({"accept", "authorization", "connection", "content-length", "content-type", "host", "transfer-encoding"})


@dataclass(frozen=True)
class _Argument:
    name: str
    place: str
    """path, query, header, or of the body: member, or whole."""
    wire: str


@dataclass(frozen=True)
class Operation:
    skill: str
    description: str
    tags: tuple[str, ...]
    method: str
    path: str
    takes: Fields
    gives: Any
    arguments: tuple[_Argument, ...]
    body_type: str | None

    def request(self, values: Mapping[str, Any]) -> tuple[str, str, bytes, list[tuple[bytes, bytes]], bytes]:
        """Method, path, query, headers, body."""
        path, query, headers, members = self.path, [], [], {}
        whole: Any = ABSENT
        for argument in self.arguments:
            value = values.get(argument.name, ABSENT)
            if value is ABSENT or (value is None and argument.place in ("path", "query", "header")):
                continue
            if argument.place == "path":
                path = path.replace(f"{{{argument.wire}}}", quote(_segment(argument.name, _word(value)), safe=""))
            elif argument.place == "query":
                query.append((argument.wire, [_word(one) for one in value] if isinstance(value, list) else _word(value)))
            elif argument.place == "header":
                # No line ends: they would begin another header.
                headers.append((argument.wire.lower().encode("latin-1"), re.sub(r"[\r\n]", " ", _word(value)).encode("latin-1", "replace")))
            elif argument.place == "member":
                members[argument.wire] = value
            else:
                whole = value
        body = self._body(members if whole is ABSENT else whole)
        if body:
            headers.append((b"content-type", (self.body_type or _JSON).encode()))
        return self.method.upper(), path, urlencode(query, doseq=True).encode(), headers, body

    def _body(self, value: Any) -> bytes:
        if self.body_type is None or (value == {} and not any(one.place in ("member", "whole") for one in self.arguments)):
            return b""
        if self.body_type == _FORM:
            return urlencode({key: _word(one) for key, one in value.items()}).encode()
        return json.dumps(value, ensure_ascii=False).encode()


def operations_of(document: Mapping[str, Any]) -> list[Operation]:
    found = [
        (path, method, item, item[method]) for path, item in document.get("paths", {}).items() for method in _METHODS if method in item
    ]
    short = [_short_name(path, method, operation) for path, method, _, operation in found]
    counts = Counter(short)
    made = []
    for (path, method, item, operation), name in zip(found, short, strict=True):
        skill = name if counts[name] == 1 else _plain(str(operation.get("operationId") or f"{method}_{path}"))
        one = _operation(document, skill, path, method, item, operation)
        if one is not None:
            made.append(one)
    return made


def _operation(
    document: Mapping[str, Any], skill: str, path: str, method: str, item: Mapping[str, Any], operation: Mapping[str, Any]
) -> Operation | None:
    content = with_refs_inlined(operation.get("requestBody", {}), document).get("content", {})
    body_type = next((one for one in (_JSON, _FORM) if one in content), None)
    if content and body_type is None:
        return None
    wanted = [*_parameters(document, item, operation), *_members(document, operation, body_type)]
    takes: Fields = {}
    arguments = []
    for place, wire, schema, required in wanted:
        name = _argument_name(wire, takes)
        takes[name] = (Annotated[Any, WithJsonSchema(schema)], REQUIRED if required else ABSENT)
        arguments.append(_Argument(name, place, wire))
    description = str(operation.get("description") or operation.get("summary") or "")
    tags = tuple(str(tag) for tag in operation.get("tags", ()))
    return Operation(skill, description, tags, method, path, takes, _result(document, operation), tuple(arguments), body_type)


def _parameters(
    document: Mapping[str, Any], item: Mapping[str, Any], operation: Mapping[str, Any]
) -> Iterator[tuple[str, str, dict[str, Any], bool]]:
    found: dict[tuple[str, str], Any] = {}
    for given in [*item.get("parameters", ()), *operation.get("parameters", ())]:
        parameter = with_refs_inlined(given, document)
        found[parameter["in"], parameter["name"]] = parameter
    for (place, wire), parameter in found.items():
        if place not in ("path", "query", "header") or (place == "header" and wire.lower() in _OWN_HEADERS):
            continue
        schema = dict(parameter.get("schema") or {"type": "string"})
        if parameter.get("description"):
            schema.setdefault("description", parameter["description"])
        yield place, wire, schema, place == "path" or parameter.get("required") is True


def _members(
    document: Mapping[str, Any], operation: Mapping[str, Any], body_type: str | None
) -> Iterator[tuple[str, str, dict[str, Any], bool]]:
    if body_type is None:
        return
    body = with_refs_inlined(operation["requestBody"], document)
    schema = dict(body["content"][body_type].get("schema") or {})
    required = body.get("required") is True
    if schema.get("type") == "object" and schema.get("properties"):
        for wire, member in schema["properties"].items():
            yield "member", wire, member, required and wire in schema.get("required", ())
    else:
        yield "whole", "body", schema, required


def _result(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Any:
    """Of its first success; where that has no JSON, or says nothing of it, anything."""
    responses = operation.get("responses", {})
    success: Any = next((responses[status] for status in sorted(responses) if str(status).startswith("2")), {})
    schema = with_refs_inlined(success, document).get("content", {}).get(_JSON, {}).get("schema")
    return Annotated[Any, WithJsonSchema(schema)] if schema else Any


def _short_name(path: str, method: str, operation: Mapping[str, Any]) -> str:
    """FastAPI adds path and method to the function's name."""
    label = str(operation.get("operationId") or f"{method}_{path}")
    added = re.sub(r"\W", "_", path) + f"_{method}"
    return _plain(label.removesuffix(added) or label)


def _plain(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:64]
    return plain if plain[:1].isalpha() else f"op_{plain}"[:64]


def _argument_name(wire: str, taken: Mapping[str, Any]) -> str:
    """A parameter's name in Python."""
    name = re.sub(r"\W", "_", wire, flags=re.ASCII)
    name = f"{name}_" if keyword.iskeyword(name) else name
    name = name if name.isidentifier() else f"_{name}"
    while name in taken or name in ("self", "ctx"):
        name += "_"
    return name


def _segment(name: str, value: str) -> str:
    """Servers decode a path before they route it: anything else would reach another operation."""
    if value in ("", ".", "..") or "/" in value:
        raise SkillInputError(
            "the arguments do not fit the path", [{"path": [name], "code": "path", "message": "may not be empty or contain /"}]
        )
    return value


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
