"""The public API of the Python SDK as JSON, read from its sources: nothing is imported, so nothing need be installed."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent.parent / "python/src/svc"
Member = dict[str, Any]


def members_of(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> dict[str, Member]:
    found: dict[str, Member] = {}
    for base in node.bases:
        name = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(name, ast.Name) and name.id in classes:
            found.update(members_of(classes[name.id], classes))
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            if statement.name == "__init__":
                found["()"] = called(statement)
                found.update({name: value() for name in assigned(statement)})
            elif not statement.name.startswith("_"):
                found[statement.name] = value() if is_property(statement) else called(statement)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            found[statement.target.id] = value()
        elif isinstance(statement, ast.Assign):
            names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
            other = statement.value.id if isinstance(statement.value, ast.Name) else ""
            found.update({name: found.get(other, value()) for name in names})
    return {name: member for name, member in found.items() if not name.startswith("_") and name != "model_config"}


def assigned(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    targets = [
        target
        for node in ast.walk(function)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    return {target.attr for target in targets if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)}


def is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id in ("property", "cached_property") for one in function.decorator_list)


def called(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Member:
    arguments = function.args
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs) if one.arg not in ("self", "cls")]
    if arguments.kwarg is not None:
        names.append(arguments.kwarg.arg)
    return {"parameters": names, "asynchronous": isinstance(function, ast.AsyncFunctionDef)}


def value() -> Member:
    return {"parameters": None, "asynchronous": False}


def exports() -> list[str]:
    names: list[str] = []
    for statement in ast.parse((PACKAGE / "__init__.py").read_text()).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name) and statement.targets[0].id == "__all__":
            names = ast.literal_eval(statement.value)
    return [*names, "TestAgent", "TestResult", "ScriptedRequest"]


def main() -> None:
    modules = [ast.parse(path.read_text()) for path in [*sorted(PACKAGE.glob("testing/*.py")), *sorted(PACKAGE.glob("*.py"))]]
    statements = [statement for module in modules for statement in module.body]
    classes = {node.name: node for node in statements if isinstance(node, ast.ClassDef)}
    functions = {node.name: node for node in statements if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    api: dict[str, dict[str, Member]] = {}
    for name in exports():
        if name in classes:
            api[name] = members_of(classes[name], classes)
        else:
            api[name] = {"()": called(functions[name])} if name in functions else {}
    json.dump(api, sys.stdout)


main()
