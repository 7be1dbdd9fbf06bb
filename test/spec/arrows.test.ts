// Folders and the areas of core/ import in one direction: .dependency-cruiser.mjs holds the rules.
// reads: activities/ api/ bench/ cli/ contract/ core/ db/ docs/ drivers/ examples/ host/ imports/ sdk/ stack/
// web/ worker/ workflows/
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

const root = join(import.meta.dirname, '../..');
const report = z.object({
  modules: z.array(z.object({ source: z.string(), dependencies: z.array(z.object({ resolved: z.string(), dependencyTypes: z.array(z.string()) })) })),
  summary: z.object({ totalCruised: z.number(), violations: z.array(z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) })) }),
});

/**
 * Wrong imports below `folder`, each as `rule: from -> to`, and the concept folders of core/ that are in
 * circles.
 */
async function wrongImports(folder: string): Promise<{ files: number; wrong: string[]; circles: string[] }> {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const args = [program, '--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json', '.'];
  const written = await new Promise<string>((resolve, reject) => {
    // With wrong imports it ends with a code of its own; what it wrote counts.
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 28 }, (error, stdout, stderr) =>
      stdout === '' ? reject(error ?? new Error(stderr)) : resolve(stdout),
    );
  });
  const { modules, summary } = report.parse(JSON.parse(written));
  const wrong = summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} -> ${to}`);
  return { files: summary.totalCruised, wrong, circles: circlesIn(modules) };
}

/** `core/AREA/CONCEPT` of a file of production below it. */
function conceptOf(path: string): string | undefined {
  return /\.test\.ts$|\/test\//.test(path) ? undefined : /^(core\/[^/]+\/[^/]+)\//.exec(path)?.[1];
}

/**
 * Folders that import each other, and those between them; types are not counted, as they are gone when a
 * program runs.
 */
function circlesIn(modules: z.infer<typeof report>['modules']): string[] {
  const imports = new Map<string, Set<string>>();
  for (const { source, dependencies } of modules) {
    const from = conceptOf(source);
    for (const { resolved, dependencyTypes } of from === undefined ? [] : dependencies) {
      const to = conceptOf(resolved);
      if (from === undefined || to === undefined || to === from || dependencyTypes.includes('type-only')) continue;
      imports.set(from, (imports.get(from) ?? new Set()).add(to));
    }
  }
  for (;;) {
    const imported = new Set([...imports.values()].flatMap((to) => [...to]));
    const free = [...imports].filter(([from, to]) => !imported.has(from) || [...to].every((one) => !imports.has(one)));
    if (free.length === 0) return [...imports.keys()].toSorted();
    for (const [from] of free) imports.delete(from);
  }
}

let planted: string;
beforeAll(async () => {
  planted = await mkdtemp(join(tmpdir(), 'svc-arrows-'));
  const zod = join(planted, 'node_modules/zod');
  await mkdir(zod, { recursive: true });
  await writeFile(join(planted, 'package.json'), JSON.stringify({ type: 'module', imports: { '#*': './*' } }));
  await writeFile(join(zod, 'package.json'), JSON.stringify({ name: 'zod', exports: './index.js' }));
  await writeFile(join(zod, 'index.js'), 'export const z = 1;');
});
afterAll(() => rm(planted, { recursive: true, force: true }));

// It reads every file of the repository: 5 s on a quiet machine.
test('every import goes along the arrows', async () => {
  const { files, wrong, circles } = await wrongImports(root);
  expect({ wrong, circles }).toEqual({ wrong: [], circles: [] });
  expect(files).toBeGreaterThan(1000);
}, 600_000);

/** Who imports what, and the rules that refuse it; `#core/x.ts` unless the import is written out. */
const wrong: [from: string, to: string, rules: string[], written?: string][] = [
  ['contract/a.ts', 'core/kernel/a.ts', ['contract-imports']],
  ['contract/b.ts', 'zone', ['contract-packages'], "import { Zone } from 'zone';"],
  ['contract/c.ts', 'node:fs', ['contract-packages'], "import { rm } from 'node:fs';"],
  ['contract/crypto/a.ts', 'node:fs', ['contract-crypto-packages'], "import { rm } from 'node:fs';"],
  ['contract/f.ts', 'node:crypto', ['contract-packages'], "import { randomBytes } from 'node:crypto';"],
  ['contract/g.ts', 'contract/crypto/e.ts', ['contract-packages'], "import { a } from './crypto/e.ts';"],
  ['core/kernel/b.ts', 'api/a.ts', ['core-imports']],
  ['core/agents/b.ts', 'core/runs/a.ts', ['core-agents-imports'], "import type { A } from '../runs/a.ts';"],
  ['core/kernel/c.ts', 'core/jobs/a.ts', ['core-kernel-imports'], "export * from '../jobs/a.ts';"],
  ['core/studio/b.ts', 'core/orgs/a.ts', ['core-studio-imports'], "export const a = () => import('../orgs/a.ts');"],
  ['core/studio/recipe/x/project/a.ts', 'core/kernel/a.ts', ['recipe-projects']],
  ['core/elsewhere/b.ts', 'core/kernel/a.ts', ['core-areas'], "import { a } from '../kernel/a.ts';"],
  ['db/b.ts', 'drivers/a.ts', ['db-imports']],
  ['drivers/b.ts', 'sdk/a.ts', ['drivers-imports']],
  ['drivers/c.ts', 'db/a.ts', ['drivers-imports']],
  ['drivers/d.ts', 'host/a.ts', ['drivers-imports', 'host-is-a-program']],
  ['host/b.ts', 'core/kernel/a.ts', ['host-imports']],
  ['api/b.ts', 'db/a.ts', ['api-imports']],
  ['workflows/b.ts', 'core/kernel/a.ts', ['workflows-imports']],
  ['workflows/c.ts', 'activities/a.ts', ['workflows-take-types']],
  ['activities/b.ts', 'worker/a.ts', ['activities-imports']],
  ['worker/b.ts', 'core/runs/a.ts', ['worker-imports']],
  ['worker/c.ts', 'drivers/a.ts', ['worker-imports']],
  ['cli/b.ts', 'host/a.ts', ['cli-imports', 'host-is-a-program']],
  ['cli/c.ts', 'drivers/a.ts', ['cli-imports']],
  ['sdk/b.ts', 'db/a.ts', ['sdk-imports'], "import { a } from '../db/a.ts';"],
  ['examples/b.ts', 'contract/a.ts', ['examples-imports'], "import { a } from '../contract/../contract/a.ts';"],
  ['web/kit/a.ts', 'web/agents/a.ts', ['web-parts'], "import { a } from '../agents/a.ts';"],
  ['web/agents/b.ts', 'web/shell/a.ts', ['web-shell'], "import { a } from '../shell/a.ts';"],
  ['api/c.ts', '#nowhere/a.ts', ['known-targets'], "import { a } from '#nowhere/a.ts';"],
  ['stack/b.ts', 'host/a.ts', ['no-climbing'], "import { a } from '../host/a.ts';"],
];
const right: [from: string, to: string, written?: string][] = [
  ['contract/crypto/e.ts', 'zod', "import { randomBytes } from 'node:crypto'; import { z } from 'zod';"],
  ['workflows/d.ts', 'activities/a.ts', "import type { A } from '#activities/a.ts';"],
  ['core/runs/b.ts', 'core/agents/a.ts'],
  ['core/studio/recipe/x/project/b.ts', 'sdk/a.ts', "import { a } from '../../../../../sdk/a.ts'; export * from '../../shared/a.ts';"],
  ['core/studio/recipe/shared/a.ts', 'sdk/a.ts'],
  ['worker/d.ts', 'core/runs/index.ts'],
  ['worker/e.ts', 'core/kernel/a.ts'],
  ['host/c.ts', 'drivers/a.ts'],
  ['stack/c.ts', 'host/a.ts'],
  ['contract/d.test.ts', 'core/kernel/a.ts'],
  ['core/runs/one/a.ts', 'core/runs/two/a.ts'],
  ['core/runs/two/b.ts', 'core/runs/three/a.ts'],
  ['core/runs/three/b.ts', 'core/runs/one/b.ts'],
  ['core/runs/four/a.ts', 'core/runs/one/b.ts'],
  ['core/runs/five/a.ts', 'core/runs/six/a.ts'],
  ['core/runs/six/b.ts', 'core/runs/five/b.ts', "import type { A } from '../five/b.ts';"],
];

test('a wrong import of each kind is refused, and no other', async () => {
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(planted, path)), { recursive: true });
    await writeFile(join(planted, path), `${text}\n`);
  };
  const targets = [...wrong, ...right].map(([, to]) => to).filter((to) => /^[a-z].*\.ts$/.test(to));
  await Promise.all(targets.map((to) => put(to, 'export const a = 1;\nexport type A = number;')));
  const imports = [...wrong.map(([from, to, , written]) => ({ from, to, written })), ...right.map(([from, to, written]) => ({ from, to, written }))];
  await Promise.all(imports.map(({ from, to, written }) => put(from, written ?? `import { a } from '#${to}';`)));
  const found = await wrongImports(planted);
  const expected = wrong.flatMap(([from, to, rules]) => rules.map((rule) => `${rule}: ${from} -> ${to.replace('node:', '')}`));
  expect(found.wrong.toSorted()).toEqual(expected.toSorted());
  expect(found.circles).toEqual(['core/runs/one', 'core/runs/three', 'core/runs/two']);
});
