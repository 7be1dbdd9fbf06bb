// docs/start.md is what a newcomer gets: its commands run as written, its code is what svc init writes.
// starts: cli/bin.mjs
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { readPage, regionOf, ROOT } from './pages.ts';

test('step 3 runs as written; its class is that of the page, and the skill of step 6 fits in', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-start-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const page = readPage('docs/start.md');
  const commands = /^## 3\. [\s\S]*?```sh\n([\s\S]*?)```/m.exec(page)?.[1] ?? '';
  expect(commands).toContain('svc init greeter');
  const env = { ...process.env, HOME: folder, PATH: `${join(ROOT, 'cli/bin')}:${process.env.PATH}` };
  const sh = (script: string, cwd: string) => promisify(execFile)('sh', ['-e', '-c', script], { cwd, env });
  expect((await sh(commands, folder)).stderr).toContain('ok: greeter 0.1.0, 2 skills');
  const file = join(folder, 'greeter/agent.ts');
  const written = await readFile(file, 'utf8');
  // The page's is formatted.
  expect(written.replaceAll(/"([^"']*)"/g, "'$1'")).toBe(readPage('docs/samples/start/agent.ts'));
  const skill = regionOf('asks.ts', readPage('docs/samples/start/asks.ts'), 'invite');
  expect(page).toContain(skill);
  await writeFile(file, written.replace(/\n}\n$/, `\n\n${skill}\n}\n`));
  expect((await sh('svc validate', join(folder, 'greeter'))).stderr).toContain('ok: greeter 0.1.0, 3 skills');
});
