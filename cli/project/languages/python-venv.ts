// The Python environment of a project: `.venv` with the SDK and what the project needs, made when it is
// missing, renewed when its needs change.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { withLock } from '../../lib/lock.ts';
import type { Say } from '../../lib/progress.ts';
import { ProjectError } from '../problem.ts';
import { findPython } from './python-find.ts';
import { run, tail } from './run.ts';

export const PYTHON_SDK = fileURLToPath(new URL('../../../sdk/python/', import.meta.url));
const Requirements = z.array(z.string());
const INSTALL_MS = 15 * 60_000;

/**
 * What is installed in the `.venv` that `ensureVenv` made; undefined: the author made it, and may change it
 * at any time.
 */
export function installedIn(folder: string): string | undefined {
  return textOf(markerOf(join(folder, '.venv'))) || undefined;
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

const markerOf = (venv: string): string => join(venv, '.svc-made');

/**
 * Path of the interpreter. `say` gets the progress. A `.venv` that the author made is used as it is. `soon`:
 * one that is made may be without a pip of its own, whose installation is half a minute in an emulated box.
 * @throws ProjectError
 */
export async function ensureVenv(folder: string, say: Say, soon = false): Promise<string> {
  // While another process creates it or installs into it, it is not complete.
  const { python, usable } = lookAt(folder);
  return usable ? python : await withLock(join(folder, '.svc', 'python.lock'), () => ensure(folder, say, soon), INSTALL_MS);
}

interface Look {
  venv: string;
  python: string;
  /** What is installed; undefined: not made by this tool. */
  made: string | undefined;
  wanted: string;
  usable: boolean;
}

function lookAt(folder: string): Look {
  const venv = join(folder, '.venv');
  const python = join(venv, 'bin', 'python');
  const made = textOf(markerOf(venv));
  const wanted = needs(folder);
  return { venv, python, made, wanted, usable: existsSync(python) && made === wanted };
}

async function ensure(folder: string, say: Say, soon: boolean): Promise<string> {
  const { venv, python, made, wanted } = lookAt(folder);
  const marker = markerOf(venv);
  if (existsSync(python) && (made === undefined || made === wanted)) return python;
  if (existsSync(venv) && made === undefined) {
    throw new ProjectError([{ file: venv, message: 'has no bin/python: remove the folder, and the next command creates it again' }]);
  }
  if (!existsSync(python)) say('making .venv, once …\n');
  const uv = (await run('uv', ['--version'], { cwd: folder })).code === 0;
  if (!existsSync(python)) {
    await rm(venv, { recursive: true, force: true });
    const base = await findPython(folder);
    const bare = soon && (await run(base, ['-c', HAS_PIP], { cwd: folder })).code === 0 ? ['--without-pip'] : [];
    const create = uv
      ? await run('uv', ['venv', '--quiet', '--python', base, venv], { cwd: folder })
      : await run(base, ['-m', 'venv', ...bare, venv], { cwd: folder });
    if (create.code !== 0) {
      await rm(venv, { recursive: true, force: true });
      throw new ProjectError([{ message: `.venv could not be made: ${tail(create.stdout + create.stderr)}\nOn Debian and Ubuntu: apt install python3-venv` }]);
    }
    // From here on it is ours, though what it needs is not in it yet.
    await writeFile(marker, '');
  }
  await install(folder, python, uv, say);
  await writeFile(marker, wanted);
  return python;
}

/** Everything that decides what is installed. */
function needs(folder: string): string {
  // At once: in an emulated box each file that is waited for is some 20 ms, and every save asks.
  const texts = [join(folder, 'requirements.txt'), join(folder, 'pyproject.toml'), join(PYTHON_SDK, 'pyproject.toml')].map((file) => textOf(file) ?? '');
  return createHash('sha256')
    .update(JSON.stringify([PYTHON_SDK, ...texts]))
    .digest('hex');
}

/** One that installs into other environments. */
const HAS_PIP = 'import pip; assert tuple(map(int, pip.__version__.split(".")[:2])) >= (22, 3)';
const DEPENDENCIES = `import json, sys, tomllib
print(json.dumps(tomllib.loads(open(sys.argv[1], encoding="utf-8-sig").read()).get("project", {}).get("dependencies", [])))`;

async function install(folder: string, python: string, uv: boolean, say: Say): Promise<void> {
  const sdk = Requirements.parse(JSON.parse(await placeSdk(folder, python)));
  const project = join(folder, 'pyproject.toml');
  const declared = existsSync(project) ? await dependenciesOf(project, python, folder) : [];
  const listed = existsSync(join(folder, 'requirements.txt')) ? ['-r', 'requirements.txt'] : [];
  const [command, before] = uv ? ['uv', ['pip', 'install', '--no-progress', '--python', python]] : await pipFor(folder, python);
  say(`installing ${countOf(sdk.length + declared.length)}${listed.length > 0 ? ' and what requirements.txt names' : ''} …\n`);
  const tell = (text: string): void => {
    const doing = /^\s*(?:Collecting|Downloading|Installing collected|Resolved|Prepared)\b[^\n]*/m.exec(text)?.[0];
    if (doing !== undefined) say(doing.trim().replace(/^Downloading (?:\S*\/)?([^\s/]+?)-\d\S*(.*)$/, 'Downloading $1$2'), 'detail');
  };
  const result = await run(command, [...before, ...sdk, ...declared, ...listed], { cwd: folder, withinMs: INSTALL_MS, show: tell, showResult: tell });
  if (result.code === 0) return;
  const file = listed.length > 0 ? join(folder, 'requirements.txt') : existsSync(project) ? project : undefined;
  throw new ProjectError([
    { file, message: `its packages could not be installed; correct it and run the command again:\n${tail(result.stderr || result.stdout, 6)}` },
  ]);
}

const countOf = (packages: number): string => (packages === 1 ? '1 package' : `${packages} packages`);

/** Its own, or that of the interpreter which it was made by. */
async function pipFor(folder: string, python: string): Promise<[string, string[]]> {
  const install = ['install', '--progress-bar', 'off', '--disable-pip-version-check'];
  if (existsSync(join(dirname(python), 'pip'))) return [python, ['-m', 'pip', ...install]];
  return [await findPython(folder), ['-m', 'pip', '--python', python, ...install]];
}

async function dependenciesOf(project: string, python: string, cwd: string): Promise<string[]> {
  const { code, stdout, stderr } = await run(python, ['-c', DEPENDENCIES, project], { cwd });
  if (code !== 0) throw new ProjectError([{ file: project, line: lineIn(stderr), message: tail(stderr, 1) }]);
  return Requirements.parse(JSON.parse(stdout)).filter((one) => !one.startsWith('-'));
}

function lineIn(text: string): number | undefined {
  const line = /at line (\d+)/.exec(text)?.[1];
  return line === undefined ? undefined : Number(line);
}

/**
 * The SDK by its sources, as an editable install leaves it, but without a build: a path file, and the few
 * lines by which installers know that svc-sdk is there. So one that requirements.txt names is not looked for
 * in an index, where it could be anybody's.
 */
const PLACE = `import json, pathlib, sysconfig, sys, tomllib
sdk = pathlib.Path(sys.argv[1])
project = tomllib.loads((sdk / "pyproject.toml").read_text())["project"]
site = pathlib.Path(sysconfig.get_paths()["purelib"])
(site / "svc-sdk.pth").write_text(f"{sdk / 'src'}\\n")
info = site / f"svc_sdk-{project['version']}.dist-info"
for old in site.glob("svc_sdk-*.dist-info"):
    for file in old.iterdir():
        file.unlink()
    old.rmdir()
info.mkdir()
requires = "".join(f"Requires-Dist: {one}\\n" for one in project["dependencies"])
(info / "METADATA").write_text(f"Metadata-Version: 2.1\\nName: svc-sdk\\nVersion: {project['version']}\\n{requires}")
(info / "INSTALLER").write_text("svc\\n")
(info / "RECORD").write_text(f"svc-sdk.pth,,\\n{info.name}/METADATA,,\\n{info.name}/INSTALLER,,\\n{info.name}/RECORD,,\\n")
print(json.dumps(project["dependencies"]))`;

async function placeSdk(folder: string, python: string): Promise<string> {
  await mkdir(join(folder, '.svc'), { recursive: true });
  const { code, stdout, stderr } = await run(python, ['-c', PLACE, PYTHON_SDK], { cwd: folder });
  if (code !== 0) throw new ProjectError([{ message: `the SDK could not be put into .venv: ${tail(stderr)}` }]);
  return stdout;
}
