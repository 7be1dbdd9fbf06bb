// `npm run demo` after its set-up: the first run deploys, is interrupted, goes on; the next one only calls.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, installation, ok, repository } from './installation.ts';

const AGENTS = ['text-kit', 'chart-room', 'librarian', 'analyst'];

let i: Installation;
beforeAll(async () => {
  i = await installation({ SVC_SANDBOX_PREPARE_SECONDS: '5' });
});
afterAll(() => i?.destroy());

test('interrupted while it deploys, it goes on; done once, it deploys no more; its receipt is valid', async () => {
  const first = spawn(process.execPath, ['stack/main.ts', 'demo'], { cwd: repository, env: i.env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(first, 'exit');
  for await (const line of createInterface({ input: first.stderr })) if (line.includes('building')) break;
  first.kill('SIGKILL');
  await ended;

  const second = ok(await i.stack('demo')).stdout;
  // What the first run had handed over was deployed without it; the second one does the rest.
  for (const name of AGENTS) expect(second).toMatch(new RegExp(`${name} is (?:live|deployed already)`));
  expect(second).toContain('no network here');
  expect(second).toContain('Proposed, switched off: creator cost_plus');
  expect(second).toContain('invariants held at every step');
  expect(second.match(/Valid: rcp_/g)).toHaveLength(6);
  for (const address of [`${i.baseUrl}/docs/api`, `http://text-kit.localhost:${i.port}`, 'credentials.json']) expect(second).toContain(address);

  const third = ok(await i.stack('demo')).stdout;
  for (const name of AGENTS) expect(third).toContain(`${name} is deployed already`);
  expect(third).not.toContain('Deploying');
  expect(third).toMatch(/Valid: rcp_/);
}, 3_600_000);
