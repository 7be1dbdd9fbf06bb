import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { packedFrontend } from '../../guest/frontend.ts';
import { inspectFrontend, packFrontend } from './frontend.ts';
import type { BuildPlan } from './plan.ts';
import { copyProject } from './tools.ts';

const dirs: string[] = [];
afterEach(() => dirs.splice(0).forEach((dir) => rmSync(dir, { recursive: true, force: true })));

const block = { path: 'web', build: 'npm run build', dist: 'dist', mount: '/app', auth: 'platform' };

function planFor(files: Record<string, string>, frontend: Partial<typeof block> = {}): BuildPlan & { frontend: typeof block } {
  const root = mkdtempSync(join(tmpdir(), 'svc-frontend-'));
  dirs.push(root);
  const source = join(root, 'src');
  mkdirSync(source);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(source, name)), { recursive: true });
    writeFileSync(join(source, name), text);
  }
  return {
    stage: 'frontend', language: 'node', known: [], salt: 's', source, out: join(root, 'out'), sdk: '', entrypoint: 'agent:A',
    frontend: { ...block, ...frontend }, egress: '', egress_port: 0, max_disk_bytes: 1e9,
  remedy: '',
  kept: false,
  max_output_bytes: 1_000_000,
  }; // prettier-ignore
}

test('plain files are packed as they are: without local settings, history and packages; the guest finds them', async () => {
  const files = {
    'web/index.html': 'hi',
    'web/a/b.css': '',
    'web/.env': 'secret',
    'web/.git/HEAD': '',
    'web/node_modules/x/i.js': '',
    'web/.well-known/x': '',
  };
  const plan = planFor(files, { dist: '.' });
  await packFrontend(plan, plan.frontend);
  const app = join(plan.out, 'app');
  expect(readdirSync(join(app, '.svc/frontend')).toSorted()).toEqual(['.well-known', 'a', 'index.html']);
  const found = packedFrontend(app, 'http://localhost:8080');
  expect(found).toEqual({ dist: join(app, '.svc/frontend'), mount: '/app', auth: 'platform', controlPlaneUrl: 'http://localhost:8080' });
  expect(packedFrontend(plan.source, undefined)).toBeUndefined();
});

test('a program that writes pages is packed with its packages, and the guest learns its mode', async () => {
  const plan = planFor({ 'web/dist/server.cjs': '', 'web/dist/client/a.js': '', 'web/dist/next/node_modules/x/i.js': '', 'web/dist/next/.next/BUILD_ID': '' });
  await packFrontend(plan, { ...plan.frontend, mode: 'server-rendered' });
  const app = join(plan.out, 'app');
  for (const path of ['server.cjs', 'client/a.js', 'next/node_modules/x/i.js', 'next/.next/BUILD_ID'])
    expect(existsSync(join(app, '.svc/frontend', path)), path).toBe(true);
  expect(packedFrontend(app, undefined)).toEqual({ dist: join(app, '.svc/frontend'), mount: '/app', auth: 'platform', mode: 'server-rendered' });
  await expect(packFrontend(planFor({ 'web/dist/index.html': '' }), { ...plan.frontend, mode: 'server-rendered' })).rejects.toThrow(
    /^web\/dist\/server\.cjs does not exist/,
  );
});

test('what cannot be served fails with the file and the remedy', async () => {
  const pack = (files: Record<string, string>, frontend: Partial<typeof block> = {}): Promise<void> => {
    const plan = planFor(files, frontend);
    return packFrontend(plan, plan.frontend);
  };
  await expect(pack({ 'web/other.html': '' })).rejects.toThrow(/^web\/dist\/index\.html does not exist after the build.*frontend\.dist in svc\.yaml/);
  await expect(pack({ 'web/dist/index.html/x': '' })).rejects.toThrow(/index\.html does not exist/);
  await expect(pack({ 'agent.ts': '' })).rejects.toThrow(/no folder "web"/);
  await expect(pack({ 'agent.ts': '' }, { path: '../x' })).rejects.toThrow(/leaves the project/);
  await expect(pack({ 'web/x': '', 'index.html': '' }, { dist: '..' })).rejects.toThrow(/leaves web/);
  await expect(pack({ 'web/dist/index.html': 'x'.repeat(1_000_001) })).rejects.toThrow(/MiB are allowed/);
});

test('an install is known by its lock and all of its packages, and shares nothing with an agent’s own', () => {
  const json = JSON.stringify;
  const packages = (devDependencies: Record<string, string>) => ({ 'web/package.json': json({ devDependencies }), 'web/bun.lock': 'lock' });
  const keyOf = (files: Record<string, string>, salt = 's') => inspectFrontend({ ...planFor(files), salt });
  expect(keyOf({ 'web/index.html': '' })).toEqual({ needsInstall: false, key: null });
  const one = keyOf(packages({ vite: '1.0.0' }));
  expect(one).toMatchObject({ needsInstall: true, key: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(keyOf(packages({ vite: '1.0.0' }))).toEqual(one);
  expect(keyOf(packages({ vite: '1.0.1' })).key).not.toBe(one.key);
  expect(keyOf(packages({ vite: 'file:../x' })).key).toBeNull();
  expect(() => inspectFrontend(planFor({ 'package.json': json({ dependencies: { vite: '1' } }) }, { path: '.' }))).toThrow(
    /a folder and a package\.json of its own/,
  );
});

test("a frontend's sources and packages stay out of the agent's files", () => {
  const plan = planFor({ 'agent.ts': '', 'web/node_modules/x/i.js': '', 'pages/web/a': '' });
  copyProject(plan.source, join(plan.out, 'app'), [], join(plan.source, 'web'));
  expect(existsSync(join(plan.out, 'app/web'))).toBe(false);
  expect(readFileSync(join(plan.out, 'app/pages/web/a'), 'utf8')).toBe('');
});
