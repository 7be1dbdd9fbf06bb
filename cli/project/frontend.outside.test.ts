// Every frontend that svc init can write is installed by npm and built by its own tools, as `svc frontend
// build` and a deploy do.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FRONTEND_MODES } from '#contract/states.ts';
import { entryOfFrontend } from '#contract/wire/frontend-entry.ts';
import { buildFrontend } from './frontend.ts';
import { readProject } from './read.ts';
import { FRONTENDS, projectFiles } from './scaffold.ts';

let home: string;
beforeAll(async () => void (home = await mkdtemp(join(tmpdir(), 'svc-frontends-'))));
afterAll(() => rm(home, { recursive: true, force: true }));

const pages = FRONTENDS.flatMap((kind) => FRONTEND_MODES.filter((mode) => kind !== 'static' || mode === 'static').map((mode) => ({ kind, mode })));

test.each(pages)('a $kind page, $mode', async ({ kind, mode }) => {
  const folder = join(home, `${kind}-${mode}`);
  const files = await projectFiles({ name: `page-${kind}`, language: 'python', description: 'Has a page', frontend: { kind, auth: 'public', mode } });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  let said = '';
  const out = new Writable({ write: (chunk, _encoding, done) => void ((said += String(chunk)), done()) });
  const built = await buildFrontend(await readProject(folder), out).catch((error: Error) => `${error.message}\n${said}`);
  expect(built).toMatchObject({ auth: 'public' });
  if (typeof built === 'object') expect((await readFile(join(built.dist, entryOfFrontend(built)))).length).toBeGreaterThan(100);
});
