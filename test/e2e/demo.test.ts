// `npm run demo` after its set-up: the first run deploys, is interrupted, goes on; the next one only calls.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, installation, ok, repository } from './installation.ts';

let i: Installation;
beforeAll(async () => {
  i = await installation();
});
afterAll(() => i?.destroy());

test('interrupted while it deploys, it goes on; done once, it deploys no more; its receipt is valid', async () => {
  const first = spawn(process.execPath, ['stack/main.ts', 'demo'], { cwd: repository, env: i.env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(first, 'exit');
  for await (const line of createInterface({ input: first.stderr })) if (line.includes('building')) break;
  first.kill('SIGKILL');
  await ended;

  const second = ok(await i.stack('demo')).stdout;
  expect(second).toContain('Deploying examples/text-kit');
  expect(second).toMatch(/Valid: rcp_/);
  for (const address of [`${i.baseUrl}/docs`, `http://text-kit.localhost:${i.port}`, 'credentials.json']) expect(second).toContain(address);

  const third = ok(await i.stack('demo')).stdout;
  expect(third).toContain('text-kit is deployed already');
  expect(third).not.toContain('Deploying');
  expect(third).toMatch(/Valid: rcp_/);
});
