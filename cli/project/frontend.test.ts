import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildFrontend, frontendOf } from './frontend.ts';
import { readProject } from './read.ts';
import { cites } from '#test/spec/verifies.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-frontend-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function project(frontend: string): Promise<ReturnType<typeof readProject>> {
  await writeFile(join(folder, 'svc.yaml'), `name: paged\nversion: 0.1.0\nentrypoint: agent:Paged\n${frontend}`);
  return readProject(folder);
}

async function page(build: string): Promise<string> {
  await mkdir(join(folder, 'frontend/node_modules'), { recursive: true });
  await writeFile(join(folder, 'frontend/package.json'), '{}');
  return `frontend:\n  build: ${JSON.stringify(build)}\n`;
}

const out = (): PassThrough => new PassThrough().resume();

describe('the packed frontend of a project', () => {
  it('is built by its own command, and index.html must come out of it', cites('cli.frontend_build'), async () => {
    const frontend = await page('mkdir -p dist && echo "<p>hi" > dist/index.html');
    expect(await buildFrontend(await project(frontend), out())).toMatchObject({ mount: '/app', auth: 'inherit', dist: join(folder, 'frontend/dist') });
    await expect(buildFrontend(await project(await page('rm -rf dist && mkdir dist')), out())).rejects.toThrow(/index\.html: does not exist after the build/);
    await expect(buildFrontend(await project(await page('exit 7')), out())).rejects.toThrow(/"exit 7" failed with exit code 7/);
  });

  it('may be plain files', async () => {
    await mkdir(join(folder, 'page'));
    await writeFile(join(folder, 'page/index.html'), 'hi');
    expect((await buildFrontend(await project('frontend: { path: page, dist: . }\n'), out())).dist).toBe(join(folder, 'page'));
  });

  it.each([
    ['', /declares no frontend/],
    ['frontend:\n  path: ../elsewhere\n', /svc\.yaml:5:\d+: frontend\.path: "\.\.\/elsewhere" leaves the project/],
    ['frontend:\n  path: gone\n', /svc\.yaml:5:\d+: frontend\.path: there is no folder "gone"/],
    ['frontend:\n  path: .\n  dist: ../..\n', /svc\.yaml:6:\d+: frontend\.dist: "\.\.\/\.\." leaves the project/],
  ])('%j is refused by line', async (text, message) => {
    const read = await project(text);
    expect(() => frontendOf(read)).toThrow(message);
  });
});
