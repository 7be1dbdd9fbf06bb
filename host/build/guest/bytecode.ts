// Bytecode of what a project imports of its packages. The rest of them is compiled if it is ever imported, in
// memory.
import { interpreterOf, pythonPaths, type BuildPlan } from './plan.ts';
import { listen } from './tools.ts';

/**
 * Imports what the project's files import, lets Python keep what it compiled, and marks it as good for ever:
 * files of a layer have no time to be checked against. The project's own import reports a package that cannot
 * be imported, later.
 */
const program = `
import ast, importlib, pathlib, struct, sys, warnings

source, site = map(pathlib.Path, sys.argv[1:])
warnings.simplefilter("ignore")
there = {path.name.partition(".")[0] for path in site.iterdir()}
# What serves the agent is imported in any case.
wanted = dict.fromkeys(("svc.project", "svc.worker.loop", "svc.worker.serve"))
for path in sorted(source.rglob("*.py")):
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        continue
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        wanted.update((name, None) for name in names if name.partition(".")[0] in there)
for name in wanted:
    try:
        importlib.import_module(name)
    except BaseException:
        pass
UNCHECKED_HASH = struct.pack("<I", 1) + bytes(8)
for path in site.rglob("*.pyc"):
    with path.open("r+b") as file:
        file.seek(4)
        file.write(UNCHECKED_HASH)
`;

export async function keepImported({ source, version }: Pick<BuildPlan, 'source' | 'version'>, site: string): Promise<void> {
  console.error('Compiling what the project imports');
  const env = { PYTHONPATH: `${site}:${pythonPaths.platform}`, PYTHONHASHSEED: '0' };
  await listen([interpreterOf(version), '-c', program, source, site], '/', env, { quiet: true });
}
