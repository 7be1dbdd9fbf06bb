// A whole installation on a small disk of its own, which fills up and has room again: real parts in a mount
// namespace (so as root). starts: stack/main.ts
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signInLocally } from '#cli/login/local.ts';
import { CLI_CLIENT_ID, SCOPES } from '#contract/identity/oauth.ts';
import { compileCache } from '#test/support/compile-cache.ts';
import { fillDisk } from '#test/support/fill-disk.ts';
import { freePort } from './ports.ts';
import { identify, isAlive } from './process.ts';

const main = join(import.meta.dirname, 'main.ts');
let folder: string;
let mount: ChildProcess;
let env: Record<string, string>;
let base: string;

/** The small disk, seen from here. */
const inside = (...path: string[]): string => join(`/proc/${mount.pid}/root`, folder, ...path);
const pidOf = (part: string): number => Number(readFileSync(inside('state', 'run', `${part}.pid`), 'utf8'));

function stack(...args: string[]): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    execFile('nsenter', ['-t', String(mount.pid), '-m', process.execPath, main, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, text: stdout + stderr }),
    );
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-full-'));
  mount = spawn(
    'unshare',
    ['-m', 'sh', '-c', 'mount -t tmpfs -o size=320m,mode=711 tmpfs "$0" && mkdir -m 711 "$0/state" && echo mounted && exec cat', folder],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  if (mount.stdout) expect(String((await once(mount.stdout, 'data'))[0])).toBe('mounted\n');
  const port = await freePort();
  base = `http://localhost:${port}`;
  env = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '/',
    NODE_COMPILE_CACHE: compileCache(),
    SVC_STATE_DIR: join(folder, 'state'),
    SVC_PARTS: 'postgres,temporal,temporal-ui,migrate,namespace,imports,api',
    SVC_PORT: String(port),
    SVC_TEMPORAL_PORT: String(await freePort()),
    SVC_TEMPORAL_UI_PORT: String(await freePort()),
  };
});
afterAll(async () => {
  await stack('down');
  mount.stdin?.end();
  await once(mount, 'exit');
  rmSync(folder, { recursive: true, force: true });
});

async function upload(token: string): Promise<{ status: number; body: string }> {
  const form = new FormData();
  form.set('path', `notes/${crypto.randomUUID()}.txt`);
  form.set('file', new Blob(['x'.repeat(200_000)]), 'a.txt');
  const answer = await fetch(`${base}/v1/me/files`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: form });
  return { status: answer.status, body: await answer.text() };
}

test('a full disk is said by every part, ends no supervisor, and is over as soon as there is room', async () => {
  const up = await stack('up');
  expect(up.code, up.text).toBe(0);
  const person = { issuer: `${base}/idp`, clientId: CLI_CLIENT_ID, email: 'ada@svc.local', scope: SCOPES.join(' ') };
  const { access_token: token } = await signInLocally({ ...person, secretsDir: inside('state', 'secrets') });
  expect(await upload(token)).toMatchObject({ status: 201 });
  const supervisor = identify(pidOf('supervisor'));

  const giveBack = fillDisk(inside());
  const refused = await upload(token);
  expect([refused.status, refused.body]).toEqual([503, expect.stringContaining('"disk_full"')]);
  const ready = await fetch(`${base}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ parts: expect.objectContaining({ disk: 'failing' }) })]);
  const said = await stack('status');
  expect([said.code, said.text]).toEqual([1, expect.stringContaining('is full (0 MiB left)')]);

  // Everything that crashes now is started again only where its supervisor lives; some parts can come up only
  // when there is room.
  for (const part of ['api', 'imports', 'temporal', 'postgres']) process.kill(pidOf(part), 'SIGKILL');
  await expect.poll(() => fetch(`${base}/healthz`).then(() => 'answers', () => 'down')).toBe('down'); // prettier-ignore
  expect(supervisor && isAlive(supervisor), 'the supervisor lives').toBe(true);

  giveBack();
  await expect.poll(() => stack('status'), { timeout: 180_000, interval: 500 }).toMatchObject({ code: 0 });
  await expect.poll(async () => (await fetch(`${base}/readyz`)).status, { timeout: 20_000 }).toBe(200);
  expect(pidOf('supervisor')).toBe(supervisor?.pid);
  expect(await upload(token)).toMatchObject({ status: 201 });
});
