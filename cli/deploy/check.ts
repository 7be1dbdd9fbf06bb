// What can be found out here before a build in a machine finds it: what `svc validate` says, where this
// machine has what that needs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Problem } from '#contract/wire/author-process.ts';
import { type Progress, withProgress } from '../lib/progress.ts';
import { checkProject } from '../project/check.ts';
import { findPython } from '../project/languages/python-find.ts';
import { run } from '../project/languages/run.ts';
import { formatProblem, ProjectError } from '../project/problem.ts';
import { checkVersion, entryOf, readProject } from '../project/read.ts';

type Note = (text: string) => void;

/** A package that is declared but not installed here is installed by the build. */
const NOT_INSTALLED = /which is not installed: run "npm install|^the module "[^"]*" is not installed/;

/** @throws ProjectError */
export async function checkBeforeUpload(path: string, note: Note, progress: Progress): Promise<void> {
  const project = await readProject(path);
  const entry = entryOf(project);
  await checkVersion(project, entry);
  // Compiled languages are compiled by the build: a second toolchain here would only say it sooner.
  if (entry.language === 'go' || entry.language === 'rust') return;
  try {
    // Making an environment with all packages would take longer than the build.
    if (entry.language === 'python' && !existsSync(join(project.folder, '.venv'))) await checkSyntax(project.folder, note);
    else await withProgress(progress, (say) => checkProject(path, say));
  } catch (error) {
    if (!(error instanceof ProjectError) || !error.problems.every(({ message }) => NOT_INSTALLED.test(message))) throw error;
    note(`Not checked here: ${error.problems.map((problem) => formatProblem(problem)).join('; ')}. The build installs what is declared, and checks.`);
  }
}

const SYNTAX = `import ast, json, os, sys
found = []
for folder, folders, files in os.walk(sys.argv[1]):
    folders[:] = [name for name in folders if not name.startswith(".") and name not in ("node_modules", "venv", "__pycache__")]
    for name in sorted(files):
        if not name.endswith(".py"):
            continue
        path = os.path.join(folder, name)
        try:
            with open(path, "rb") as file:
                ast.parse(file.read(), path)
        except SyntaxError as error:
            found.append({"file": path, "line": error.lineno or 1, "message": f"{type(error).__name__}: {error.msg}"})
        except ValueError as error:
            found.append({"file": path, "message": str(error)})
print(json.dumps(found))`;

async function checkSyntax(folder: string, note: Note): Promise<void> {
  const python = await findPython(folder).catch(() => undefined);
  if (python === undefined) return note('Not checked here: there is no Python 3.11 or newer. The build checks.');
  const { code, stdout } = await run(python, ['-c', SYNTAX, folder], { cwd: folder });
  const problems = code === 0 ? z.array(Problem).parse(JSON.parse(stdout)) : [];
  if (problems.length > 0) throw new ProjectError(problems);
  note('Only the syntax was checked here. `svc validate` makes .venv, and then a deploy checks everything first.');
}
