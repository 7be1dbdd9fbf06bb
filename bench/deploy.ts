// `node bench/deploy.ts [runs]`: `svc deploy` until live, on an installation of its own: a template agent without dependencies, and one
// with two npm packages, none of them kept from before. Targets under emulation on two cores: 10 s and 20 s.
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { type Installation, installation, ok } from '#test/e2e/installation.ts';
import { greeterFiles } from '#test/support/project.ts';

const runs = Number(process.argv[2] ?? 5);
const cacheDir = await cacheWithoutDependencies();
const i = await installation({ SVC_CACHE_DIR: cacheDir });
try {
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  // The first build of a host also makes the snapshot that later builds start from.
  const first = await deploy(i, 'bench-first', {});
  const plain: number[] = [];
  const packages: number[] = [];
  for (let n = 0; n < runs; n += 1) {
    plain.push(await deploy(i, `bench-plain-${n}`, {}));
    await forgetDependencies();
    packages.push(await deploy(i, `bench-packages-${n}`, { diff: '8.0.2', marked: '16.4.1' }));
  }
  console.table({
    'first deploy of the host': row([first], undefined),
    'without dependencies': row(plain, 10),
    'two npm packages, nothing kept': row(packages, 20),
  });
} finally {
  await i.destroy();
  await rm(cacheDir, { recursive: true, force: true });
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
  for (const entry of await readdir(shared)) if (entry !== 'dependencies') await symlink(join(shared, entry), join(own, entry));
  await mkdir(join(own, 'dependencies'));
  return own;
}

async function forgetDependencies(): Promise<void> {
  for (const name of await readdir(join(cacheDir, 'dependencies'))) await rm(join(cacheDir, 'dependencies', name));
}

function row(seconds: number[], target: number | undefined): Record<string, string> {
  const sorted = seconds.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const verdict = target === undefined ? '' : median < target ? `met (< ${target} s)` : `missed (< ${target} s)`;
  return { median_s: median.toFixed(1), worst_s: Math.max(...seconds).toFixed(1), target: verdict };
}
