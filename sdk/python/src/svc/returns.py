"""Results that a skill writes down and that cannot be what its annotation says: found without running it.

Seen are ``return`` statements whose value is written out: texts, numbers, lists, dictionaries. What is computed is a type checker's to see
(pyright, mypy), and the runtime's: a result that does not fit is refused as ``skill_output_error``.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import typing
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from .errors import SkillOutputError
from .problems import Problem

if TYPE_CHECKING:
    from .declare import BoundSkill

_UNKNOWN = object()


def wrong_returns(bound: BoundSkill) -> Iterator[Problem]:
    """One problem a ``return``."""
    if bound.output is None:
        return
    declared = typing.get_type_hints(bound.handler)["return"]
    try:
        file = inspect.getsourcefile(bound.handler)
        lines, first = inspect.getsourcelines(bound.handler)
        function = ast.parse(textwrap.dedent("".join(lines))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return
    if not isinstance(function, ast.AsyncFunctionDef) or function.name != bound.handler.__name__:
        return
    indent = len(lines[0]) - len(lines[0].lstrip())
    kinds = _kinds(bound.card["output_schema"])
    returns = list(_returns(function))
    for statement in returns:
        wrong = _wrong(statement.value, bound, kinds, declared)
        if wrong is not None:
            message = f"{bound.attribute}: its result is declared as {_name(declared)}, and here it is {wrong}"
            yield Problem(message, file, first + statement.lineno - 1, indent + statement.col_offset + 1)
    nothing = not any(statement.value for statement in returns)
    if (
        nothing
        and kinds
        and "null" not in kinds
        and not isinstance(function.body[-1], ast.Raise | ast.While | ast.Try | ast.With | ast.AsyncWith)
    ):
        message = f"{bound.attribute}: its result is declared as {_name(declared)}, and it returns nothing: return one, or write -> None"
        yield Problem(message, file, first + function.lineno - 1, indent + function.col_offset + 1)


def _returns(function: ast.AsyncFunctionDef) -> Iterator[ast.Return]:
    """Its own, not those of functions within."""
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def _wrong(node: ast.expr | None, bound: BoundSkill, kinds: set[str], declared: Any) -> str | None:
    """What it is, where that cannot fit."""
    if node is None:
        return "nothing" if kinds and "null" not in kinds else None
    if isinstance(node, ast.Dict) and isinstance(declared, type) and issubclass(declared, BaseModel):
        return f"a dictionary: return {declared.__name__}(…)"
    value = _literal(node)
    if value is not _UNKNOWN:
        try:
            bound.result(value)
        except SkillOutputError:
            return f"{ast.unparse(node)[:60]}"
        return None
    kind, shown = _kind(node)
    return shown if kind is not None and kinds and kind not in kinds else None


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _UNKNOWN


def _kind(node: ast.expr) -> tuple[str | None, str]:
    if isinstance(node, ast.JoinedStr):
        return "string", "a text"
    if isinstance(node, ast.Dict | ast.DictComp):
        return "object", "a dictionary"
    if isinstance(node, ast.List | ast.ListComp):
        return "array", "a list"
    return None, ""


def _kinds(schema: dict[str, Any]) -> set[str]:
    """JSON types that may come; none where that is not known."""
    if schema.get("anyOf") or schema.get("oneOf"):
        branches = [_kinds(branch) for branch in schema.get("anyOf") or schema["oneOf"]]
        return set().union(*branches) if all(branches) else set()
    declared = schema.get("type")
    return set(declared) if isinstance(declared, list) else {declared} if isinstance(declared, str) else set()


def _name(declared: Any) -> str:
    return declared.__name__ if isinstance(declared, type) else str(declared).replace("typing.", "")
