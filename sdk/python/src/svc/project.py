"""Loading an author's project: every way it can be wrong is a problem with file and line, not a traceback."""

from __future__ import annotations

import contextlib
import importlib
import linecache
import os
import re
import sys
import traceback
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

from .agent import Agent
from .auth import auth_model_of
from .declare import Declaration, declare
from .mistakes import mistakes_in, nearest
from .no_agent import no_agent
from .problems import AgentDeclarationError, Problem
from .schema import model_schema
from .skill import SkillDeclaration
from .traces import described


class ProjectError(Exception):
    def __init__(self, *problems: Problem, of_process: bool = False) -> None:
        """``of_process``: what this process did before may be the cause; another one may find no problem."""
        self.problems = list(problems)
        self.of_process = of_process
        super().__init__("\n".join(str(problem) for problem in problems))


def load_agent(entrypoint: str, folder: str | os.PathLike[str] = ".") -> type[Agent[Any]]:
    """The class of ``module:Class``; the module may be a path, with or without ``.py``. Raises ProjectError."""
    path, separator, class_name = entrypoint.partition(":")
    if not separator or not path or not class_name.isidentifier():
        raise ProjectError(Problem(f'"{entrypoint}" is no entrypoint: use "module:Class", e.g. "agent:Greeter"'))
    root = Path(folder).resolve()
    module = path.removesuffix(".py").strip("/").replace("/", ".")
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    # What the author's module prints while it loads must not mix with what is printed for the command line tool.
    with contextlib.redirect_stdout(sys.stderr):
        loaded = _import(module, root)
    found = getattr(loaded, class_name, None)
    if not isinstance(found, type) or not issubclass(found, Agent):
        raise ProjectError(no_agent(loaded, path, class_name))
    return found


def load_declaration(entrypoint: str, folder: str | os.PathLike[str] = ".", *, strict: bool = True) -> tuple[type[Agent[Any]], Declaration]:
    """``strict``: what has no effect is a problem, too. Raises ProjectError."""
    cls = load_agent(entrypoint, folder)
    problems: list[Problem] = []
    declaration = None
    try:
        declaration = declare(cls)
    except AgentDeclarationError as error:
        problems = error.problems
    if strict:
        problems = [*mistakes_in(cls, declaration.skills if declaration else {}), *problems]
    if declaration is None or problems:
        raise ProjectError(*problems)
    return cls, declaration


def reload_declaration(entrypoint: str, folder: str | os.PathLike[str] = ".") -> tuple[type[Agent[Any]], Declaration]:
    """The project as its files are now, in a process that loaded it before; packages stay as they were. Raises ProjectError, and then
    the previous modules stay."""
    root = Path(folder).resolve()
    before = _forget(root)
    importlib.invalidate_caches()
    # Problems name lines of the files, which Python keeps.
    linecache.checkcache()
    try:
        return load_declaration(entrypoint, folder)
    except BaseException:
        _forget(root)
        sys.modules.update(before)
        raise


def _forget(root: Path) -> dict[str, ModuleType]:
    """The project's own modules, which the next import loads from their files."""
    own = {name: module for name, module in sys.modules.items() if _is_projects(name, module, str(root))}
    for name in own:
        del sys.modules[name]
    return own


def _is_projects(name: str, module: ModuleType, root: str) -> bool:
    # Not by getattr: modules that load themselves when they are asked for anything would.
    told = getattr(module, "__dict__", {})
    place = told.get("__file__") or next(iter(told.get("__path__") or ()), None)
    if not _is_in(place, root) or (_is_in(sys.prefix, root) and _is_in(place, sys.prefix)):
        return False
    return name != "__main__" and name != "svc" and not name.startswith("svc.")


def _is_in(place: Any, folder: str) -> bool:
    return isinstance(place, str) and place.startswith(folder.rstrip(os.sep) + os.sep) and f"{os.sep}site-packages{os.sep}" not in place


def compile_agent(entrypoint: str, folder: str | os.PathLike[str] = ".") -> dict[str, Any]:
    """The compiled declaration (contract/wire/dsl.ts). Raises ProjectError."""
    return compiled(entrypoint, *load_declaration(entrypoint, folder))


def compiled(entrypoint: str, cls: type[Agent[Any]], declaration: Declaration) -> dict[str, Any]:
    auth_schema = model_schema(auth_model_of(cls))
    resolver = cls.auth_resolver
    return {
        "dsl": 1,
        "card": declaration.card,
        "worker": {"language": "python", "entrypoint": entrypoint},
        "auth_model": auth_schema if auth_schema.get("properties") else {},
        "auth_resolver": resolver.to_dsl() if resolver is not None else None,
        "frontend": None,
    }


def _import(module: str, root: Path) -> Any:
    # Python takes a file for unchanged whose second and length are the same: one edited twice in a second would be what it was at first.
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        return importlib.import_module(module)
    except SyntaxError as error:
        message = f"{type(error).__name__}: {error.msg}"
        raise ProjectError(Problem(message, error.filename, error.lineno, error.offset or None)) from None
    except ModuleNotFoundError as error:
        missing = error.name or "?"
        if missing == module:
            raise ProjectError(Problem(f'there is no module "{module}" in {root}; check "entrypoint" in svc.yaml')) from None
        told = f'the module "{missing}" is not installed; add its package to requirements.txt or pyproject.toml'
        raise ProjectError(Problem(told, *_last_place(error, root))) from None
    except AgentDeclarationError as error:
        raise ProjectError(*error.problems) from None
    except (Exception, SystemExit) as error:
        # A name that is missing is missing in any process.
        of_process = not isinstance(error, (ImportError, NameError))
        raise ProjectError(Problem(_explained(error), *_last_place(error, root)), of_process=of_process) from error
    finally:
        sys.dont_write_bytecode = written


def _explained(error: BaseException) -> str:
    unknown = re.match(r"skill\(\) got an unexpected keyword argument '(\w+)'", str(error)) if isinstance(error, TypeError) else None
    if unknown is None:
        return described(error)
    options = tuple(field.name for field in fields(SkillDeclaration))
    meant = nearest(unknown[1], options)
    return f"@skill: {unknown[1]} is not an option of a skill; " + (f"did you mean {meant}?" if meant else f"it takes {', '.join(options)}")


def _last_place(error: BaseException, root: Path) -> tuple[str | None, int | None, int | None]:
    """The innermost line of the author's own."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.is_absolute() and path.is_relative_to(root) and "site-packages" not in path.parts:
            return str(path), frame.lineno, None if frame.colno is None else frame.colno + 1
    return None, None, None
