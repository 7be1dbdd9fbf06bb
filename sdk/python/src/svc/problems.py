"""What is wrong with a project, and where: the form the command line tool prints."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Problem:
    message: str
    file: str | None = None
    line: int | None = None
    """From 1."""
    column: int | None = None
    """From 1."""
    of: str | None = None
    """"entrypoint": it is svc.yaml that is to be corrected."""

    def to_json(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"message": self.message}
        if self.file is not None:
            wire["file"] = self.file
        if self.line is not None:
            wire["line"] = self.line
        if self.column is not None:
            wire["column"] = self.column
        if self.of is not None:
            wire["of"] = self.of
        return wire

    def __str__(self) -> str:
        where = f"{self.file}:{self.line or '?'}: " if self.file else ""
        return f"{where}{self.message}"


class AgentDeclarationError(Exception):
    """The class breaks rules; ``problems`` names each of them."""

    def __init__(self, agent: str, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        super().__init__(f"agent {agent!r}:\n" + "\n".join(f"  {problem}" for problem in self.problems))


def place_of(cls: type, attribute: str) -> tuple[str | None, int | None, int | None]:
    """File, line and column where the class, or the class it has it from, writes an attribute."""
    owner = next((base for base in cls.__mro__ if attribute in vars(base) and base.__module__ != "svc.agent"), cls)
    try:
        file = inspect.getsourcefile(owner)
        lines, first = inspect.getsourcelines(owner)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return None, None, None
    indent = len(lines[0]) - len(lines[0].lstrip())
    body = tree.body[0]
    if isinstance(body, ast.ClassDef):
        for statement in body.body:
            if attribute in _names(statement):
                return file, first + statement.lineno - 1, indent + statement.col_offset + 1
        return file, first + body.lineno - 1, indent + body.col_offset + 1
    return file, first, None


def _names(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return {statement.name}
    if isinstance(statement, ast.AnnAssign):
        return {statement.target.id} if isinstance(statement.target, ast.Name) else set()
    if isinstance(statement, ast.Assign):
        return {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return set()
