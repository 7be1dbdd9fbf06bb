"""JSON Schemas as the card publishes them: pydantic's, in the form all languages agree on."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

JsonSchema = dict[str, Any]


class _Absent:
    def __deepcopy__(self, memo: Any) -> _Absent:
        return self


ABSENT = _Absent()
"""Default of a parameter that a caller may leave out, where that is not the same as any value: the schema names none."""


class _Plain(GenerateJsonSchema):
    """Titles made of names say nothing; those an author wrote stay."""

    def default_schema(self, schema: Any) -> JsonSchema:
        return self.generate_inner(schema["schema"]) if schema.get("default") is ABSENT else super().default_schema(schema)

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def input_schema(model: type[BaseModel]) -> JsonSchema:
    """An object, closed; ``required`` lists what has no default."""
    schema = _normal(model.model_json_schema(by_alias=True, mode="validation", schema_generator=_Plain))
    return {**_untitled(schema), "additionalProperties": False, "required": schema.get("required", [])}


def output_schema(adapter: TypeAdapter[Any]) -> JsonSchema:
    return _normal(adapter.json_schema(by_alias=True, mode="serialization", schema_generator=_Plain))


def model_schema(model: type[BaseModel]) -> JsonSchema:
    return _normal(model.model_json_schema(by_alias=True, mode="validation", schema_generator=_Plain))


def _normal(schema: JsonSchema) -> JsonSchema:
    """Models lose the title that is their class's name; a plain type or null is written as one list of types."""
    if schema.get("type") == "object" and "properties" in schema:
        schema = _untitled(schema)
    out: JsonSchema = {}
    for key, value in schema.items():
        if key in ("properties", "$defs", "patternProperties"):
            # Names of members, not words of the schema.
            out[key] = {name: _normal(member) if isinstance(member, dict) else member for name, member in value.items()}
        elif key in ("default", "const", "enum", "examples"):
            out[key] = value
        elif isinstance(value, dict):
            out[key] = _normal(value)
        elif isinstance(value, list):
            out[key] = [_normal(item) if isinstance(item, dict) else item for item in value]
        else:
            out[key] = value
    branches = out.get("anyOf")
    if isinstance(branches, list) and len(branches) == 2 and branches[1] == {"type": "null"} and set(branches[0]) == {"type"}:
        del out["anyOf"]
        out["type"] = [branches[0]["type"], "null"]
    if "$defs" in out:
        out["$defs"] = {name: _untitled(member) for name, member in out["$defs"].items()}
    return out


def _untitled(schema: JsonSchema) -> JsonSchema:
    return {key: value for key, value in schema.items() if key != "title"}
