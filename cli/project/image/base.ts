// The lower layer of an image: the programs an agent needs, taken from this machine with the libraries they
// are linked to. No registry is asked.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ProjectError } from '../problem.ts';
import { run, tail } from '../languages/run.ts';
import { isWhole, writeLayer, type Layer, type Piece } from './layer.ts';

export const NODE = '/usr/local/bin/node';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** The user an agent runs as. */
export const USER = 65_532;

const Python = z.object({ executable: z.string(), version: z.string(), stdlib: z.string(), site: z.string() });
export type Python = z.infer<typeof Python>;
const ASK = `import json, sys, sysconfig
print(json.dumps({"executable": getattr(sys, "_base_executable", sys.executable), "version": sys.version.split()[0],
    "stdlib": sysconfig.get_path("stdlib"), "site": sysconfig.get_path("purelib")}))`;

/** What an environment's interpreter is made of. */
export async function pythonParts(interpreter: string, cwd: string): Promise<Python> {
  const { code, stdout, stderr } = await run(interpreter, ['-c', ASK], { cwd });
  if (code !== 0) throw new ProjectError([{ message: `Python cannot be asked where it lies: ${tail(stderr)}` }]);
  return Python.parse(JSON.parse(stdout));
}

/** Made once per state of the programs; `python` when the agent is written in it. */
export async function baseLayer(image: string, python: Python | undefined): Promise<Layer> {
  const programs: Piece[] = [{ from: process.execPath, to: NODE }];
  const linked = [process.execPath];
  if (python) {
    programs.push({ from: python.executable, to: python.executable }, { from: python.stdlib, to: python.stdlib, without: unneeded });
    const modules = join(python.stdlib, 'lib-dynload');
    linked.push(python.executable, ...(await readdir(modules)).filter((name) => name.endsWith('.so')).map((name) => join(modules, name)));
  }
  for (const library of await libraries(linked)) programs.push({ from: library, to: library });
  if (existsSync(CERTIFICATES)) programs.push({ from: CERTIFICATES, to: CERTIFICATES });
  const states = await Promise.all(programs.map(async ({ from, to }) => [to, await realpath(from), (await stat(from)).mtimeMs, (await stat(from)).size]));
  const cacheFile = join(image, `base-${createHash('sha256').update(JSON.stringify(states)).digest('hex').slice(0, 16)}.json`);
  const blobs = join(image, 'blobs', 'sha256');
  const before = await readFile(cacheFile, 'utf8').then(
    (text) => CachedLayer.parse(JSON.parse(text)),
    () => undefined,
  );
  if (before && (await isWhole(join(blobs, before.digest.slice('sha256:'.length))))) return before;
  await mkdir(image, { recursive: true });
  const accounts = join(image, '.accounts');
  await writeFile(accounts, `root:x:0:0:root:/root:/sbin/nologin\nagent:x:${USER}:${USER}:agent:/tmp:/sbin/nologin\n`);
  const layer = await writeLayer(blobs, [...programs, { from: accounts, to: '/etc/passwd' }]);
  await writeFile(cacheFile, JSON.stringify(layer));
  return layer;
}

const CachedLayer = z.object({ digest: z.string().startsWith('sha256:'), diffId: z.string(), size: z.int() });

/** Tests, editors and packages of the machine's own are no part of the language. */
function unneeded(path: string): boolean {
  return /\/(?:site-packages|dist-packages|__pycache__|test|tests|idlelib|tkinter|turtledemo|ensurepip|lib2to3|config-[^/]+)$|_tkinter\.[^/]+\.so$/.test(path);
}

/** Files the dynamic loader would bring, and the loader itself. */
export async function libraries(programs: readonly string[]): Promise<string[]> {
  const paths = new Set<string>();
  for (const program of programs) {
    // A failure shows that a program is static.
    const { stdout } = await run('ldd', [program], { cwd: '/' });
    for (const [, path = ''] of stdout.matchAll(/(?:=>\s+|^\s+)(\/\S+) \(0x/gm)) paths.add(path);
  }
  return [...paths].toSorted();
}
