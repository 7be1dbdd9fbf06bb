// A restore drill with a whole installation: a run waits for a person in a machine, a backup is taken, the
// state is lost, and after the restore the answer reaches the next line.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { RunOut } from '#contract/runs/runs.ts';
import { hostRuntime } from '#drivers/runtime/client.ts';
import { type Person, signedIn } from '#stack/demo/person.ts';
import { places } from '#stack/settings.ts';
import { type Installation, installation, ok, repository } from './installation.ts';

let i: Installation;
let ada: Person;
let backups: string;

beforeAll(async () => {
  i = await installation({ SVC_PAUSE_AFTER_SECONDS: '1', SVC_SUSPEND_AFTER_SECONDS: '2', SVC_BACKUP_PASSPHRASE: 'a passphrase of the drill' });
  backups = join(i.home, '..', 'backups');
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  ada = await signedIn(i.baseUrl, i.home);
  ok(await i.svc('deploy', join(repository, 'docs/samples/refunds')));
});
afterAll(() => i?.destroy());

const lookAt = async (run_id: string) => RunOut.parse(await (await ada.client.agents.run({ params: { name: 'refunds', run_id } })).json());
const becomes = (run_id: string, state: string, timeout: number) =>
  vi.waitFor(
    async () => {
      const run = await lookAt(run_id);
      expect(run).toMatchObject({ state });
      return run;
    },
    { timeout, interval: 500 },
  );

/** A run whose question is open, its machine asleep on disk. */
async function waiting(order: string): Promise<{ run_id: string; request_id: string }> {
  const { run_id } = await ada.client.agents.startRun({
    params: { name: 'refunds', skill_name: 'refund' },
    headers: {},
    body: { order, amount: 240, reason: 'broken' },
  });
  const request_id = await vi.waitFor(
    async () => {
      const [form] = (await lookAt(run_id)).waits;
      if (form === undefined) throw new Error(`${run_id} asks nothing yet`);
      return form.wait_id;
    },
    { timeout: 120_000, interval: 500 },
  );
  const runtime = hostRuntime({ socketPath: places(i.stateDir).hostSocket });
  await vi.waitFor(async () => expect((await runtime.instances()).map(({ tier }) => tier)).toEqual(['suspended']), { timeout: 120_000, interval: 500 });
  return { run_id, request_id };
}

const answer = ({ request_id }: { request_id: string }) =>
  ada.client.chat.giveInput({ params: { request_id }, body: { values: { approve: true, note: 'after the restore' } } });

test('after a restore on an empty folder a waiting run goes on with the next line', async () => {
  const run = await waiting('A-1');
  const taken = ok(await i.stack('backup', '--to', backups));
  expect(taken.stdout).toMatch(/machines +1 machine/);
  expect(ok(await i.stack('status')).stdout).toContain('Last backup: ');

  expect(await i.stack('restore', backups)).toMatchObject({ code: 1, stderr: expect.stringContaining('The platform is up here.') });
  ok(await i.stack('down'));
  for (const name of await readdir(i.stateDir)) await rm(join(i.stateDir, name), { recursive: true });
  const restored = ok(await i.stack('restore', backups));
  expect(restored.stdout).toContain('Next: npm run up.');
  ok(await i.stack('up'));

  expect(await lookAt(run.run_id)).toMatchObject({ state: 'waiting' });
  await answer(run);
  expect((await becomes(run.run_id, 'succeeded', 240_000)).result).toEqual({ refunded: 240, note: 'after the restore' });
  expect(ok(await i.stack('verify')).stdout).toContain('Everything is well.');
  const checked = await i.stack('backup', 'verify', backups);
  expect([checked.code, checked.stdout, checked.stderr]).toEqual([0, expect.stringContaining('This backup restores.'), '']);
  expect(checked.stdout).not.toContain('host_lost');
});
