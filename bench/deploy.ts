// `node bench/deploy.ts [runs] [--beside COMMIT]`: `svc deploy` until live, on an installation of its own: a
// template agent without dependencies, and one with two npm packages, none of them kept from before. Targets
// under emulation on two cores: 7.4 s and 20 s. With `--beside` the older commit has an installation in the
// same run, and both deploy in turns. Where the time of one goes is said by its log.
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cacheFolder, repository } from '#stack/setup/folders.mjs';
import { type Installation, installation, ok } from '#test/e2e/installation.ts';
import { greeterFiles } from '#test/support/project.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { beside: { type: 'string' } } });
const runs = Number(positionals[0] ?? 5);

interface Side {
  of: string;
  cacheDir: string;
  installation: Installation;
  first: number;
  plain: number[];
  packages: number[];
}

const clone = values.beside === undefined ? undefined : await cloneOf(values.beside);
const sides: Side[] = [];
try {
  for (const [of, folder] of [['now', repository] as const, ...(clone === undefined ? [] : [[values.beside ?? '', clone] as const])]) {
    const cacheDir = await cacheWithoutDependencies();
    const i = await installation({ SVC_CACHE_DIR: cacheDir }, undefined, folder);
    sides.push({ of, cacheDir, installation: i, first: Number.NaN, plain: [], packages: [] });
    ok(await i.stack('up'));
    ok(await i.svc('login', '--local', 'ada@svc.local'));
  }
  // The first build of a host also makes the snapshot that later builds start from.
  for (const side of sides) side.first = await deploy(side.installation, 'bench-first', {});
  for (let n = 0; n < runs; n += 1) {
    for (const side of n % 2 === 0 ? sides : sides.toReversed()) {
      side.plain.push(await deploy(side.installation, `bench-plain-${n}`, {}));
      await forgetDependencies(side.cacheDir);
      side.packages.push(await deploy(side.installation, `bench-packages-${n}`, { diff: '8.0.2', marked: '16.4.1' }));
    }
  }
  for (const { of, first, plain, packages } of sides) {
    process.stdout.write(`${of}\n`);
    console.table({
      'first deploy of the host': row([first], undefined),
      'without dependencies': row(plain, 7.4),
      'two npm packages, nothing kept': row(packages, 20),
    });
  }
  const [now] = sides;
  if (now) console.table(await stepsOf(now.installation, 'bench-plain-0'));
} finally {
  for (const side of sides) {
    await side.installation.destroy();
    await rm(side.cacheDir, { recursive: true, force: true });
  }
  if (clone !== undefined) execFileSync('git', ['worktree', 'remove', '--force', clone], { cwd: repository });
}

/** An older commit in a folder of its own, set up. */
async function cloneOf(commit: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-clone-'));
  execFileSync('git', ['worktree', 'add', '--quiet', '--force', '--detach', folder, commit], { cwd: repository });
  execFileSync('node', ['stack/bootstrap.mjs', 'setup', '--yes'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return folder;
}

/** The log of a deploy, each line with the seconds since the first. */
async function stepsOf(on: Installation, agent: string): Promise<{ seconds: string; step: string }[]> {
  const { stdout } = ok(await on.svc('logs', agent, '--json'));
  const lines = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { at: string; text: string });
  const begin = Date.parse(lines[0]?.at ?? '');
  return lines.map(({ at, text }) => ({ seconds: ((Date.parse(at) - begin) / 1000).toFixed(2), step: text.slice(0, 100) }));
}

async function deploy(on: Installation, name: string, dependencies: Record<string, string>): Promise<number> {
  const files = greeterFiles(name);
  files['package.json'] = JSON.stringify({ name, version: '1.0.0', type: 'module', private: true, dependencies });
  const uses = Object.keys(dependencies).map((one, n) => `import * as dep${n} from '${one}';\n`);
  const touches = Object.keys(dependencies).map((_, n) => `void dep${n};\n`);
  files['agent.ts'] = [...uses, files['agent.ts'] ?? '', ...touches].join('');
  const folder = await on.project(name, files);
  const began = performance.now();
  ok(await on.svc('deploy', folder));
  return (performance.now() - began) / 1000;
}

/** Images and programs of the shared cache, none of its kept dependencies. */
async function cacheWithoutDependencies(): Promise<string> {
  const shared = cacheFolder(process.env);
  const own = await mkdtemp(join(tmpdir(), 'svc-bench-cache-'));
  // Of root's installation PostgreSQL's own user reads it, too.
  await chmod(own, 0o755);
  for (const entry of await readdir(shared)) if (entry !== 'dependencies') await symlink(join(shared, entry), join(own, entry));
  await mkdir(join(own, 'dependencies'));
  return own;
}

async function forgetDependencies(cacheDir: string): Promise<void> {
  for (const name of await readdir(join(cacheDir, 'dependencies'))) await rm(join(cacheDir, 'dependencies', name));
}

function row(seconds: number[], target: number | undefined): Record<string, string> {
  const sorted = seconds.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const verdict = target === undefined ? '' : median < target ? `met (< ${target} s)` : `missed (< ${target} s)`;
  return { median_s: median.toFixed(1), worst_s: Math.max(...seconds).toFixed(1), target: verdict };
}
