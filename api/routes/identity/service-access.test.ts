// Managed services of an account: what is said of each is what was seen of it.
import { chmod, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MANAGED_SERVICES } from '#contract/identity/service-access.ts';
import { probeSources, probeStorage } from '#core/identity/service-access/probe.ts';
import { gitSourceControl } from '#drivers/scm/git.ts';
import { diskStorage } from '#drivers/storage/disk.ts';
import { newId } from '#core/kernel/ids.ts';
import { verifies } from '#test/spec/verifies.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let other: TestContext;
let user_id: string;
beforeAll(async () => {
  [world, other] = await Promise.all([createWorld(), testContext()]);
  user_id = (await world.ctx.db('users').whereLike('email', 'ben-%').first('user_id'))?.user_id ?? '';
});
afterAll(() => Promise.all([world.close(), other.close()]));

const of = async (service: string) => (await world.as('ben').serviceAccess.get()).items.find((one) => one.service === service);

verifies('serviceAccess.get', 'names every managed service; what this installation does not have says so; what it has was tried', async () => {
  const { items } = await world.as('ben').serviceAccess.get();
  expect(items.map(({ service }) => service)).toEqual([...MANAGED_SERVICES]);
  for (const service of ['mailbox', 'tracing'])
    expect(await of(service)).toMatchObject({ status: 'not_available', reason: expect.any(String), checked_at: null });
  for (const service of ['source_hosting', 'object_storage', 'database'])
    expect(await of(service)).toMatchObject({ status: 'works', reason: null, checked_at: expect.any(String) });
});

verifies('serviceAccess.get', 'model routing is what the credential last did, and shows no key', async () => {
  expect(await of('model_routing')).toMatchObject({ status: 'not_configured', credential: null });
  const credential_id = newId('llc');
  const { db } = world.ctx;
  await db('llm_credentials').insert({
    credential_id,
    user_id,
    name: 'work',
    provider: 'openai',
    protocol: 'openai',
    base_url: 'https://api.openai.com/v1',
    model: 'm',
    key_sealed: 'sealed-text',
    is_default: true,
  });
  expect(await of('model_routing')).toMatchObject({ status: 'unchecked', credential: 'work' });
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  await db('llm_credentials')
    .where({ credential_id })
    .update({ check_state: 'works', checked_at: at(1) });
  expect(await of('model_routing')).toMatchObject({ status: 'works', checked_at: at(1), last_error: null });
  const use = { user_id, credential_id, credential: 'work', provider: 'openai', model: 'm', purpose: 'chat', day: '2026-01-01' };
  await db('llm_usage').insert({ ...use, usage_id: newId('llu'), state: 'failed', error_code: 'model_refused_key', started_at: at(2), ended_at: at(2) });
  expect(await of('model_routing')).toMatchObject({ status: 'failing', last_error: { code: 'model_refused_key', at: at(2) } });
  await db('llm_usage').insert({ ...use, usage_id: newId('llu'), state: 'ok', started_at: at(3), ended_at: at(3) });
  expect(await of('model_routing')).toMatchObject({ status: 'works', checked_at: at(3) });
  expect(JSON.stringify(await of('model_routing'))).not.toContain('sealed-text');
});

test('a storage and a source hosting that are broken are seen as broken', async () => {
  const folder = join(other.stateDir, 'broken');
  await mkdir(folder, { mode: 0o700 });
  // Files in place of folders: writes there fail, also for root.
  await rename(join(other.stateDir, 'secrets', 'platform.key'), join(folder, 'file'));
  await chmod(join(folder, 'file'), 0o600);
  const root = join(folder, 'file', 'inside');
  expect(await probeStorage(diskStorage({ root }), Date.now)).toMatchObject({ works: false });
  expect(await probeSources(gitSourceControl({ root }), Date.now)).toMatchObject({ works: false });
});

test('those who ask at once share one try', async () => {
  let tries = 0;
  const scm = { ...gitSourceControl({ root: join(other.stateDir, 'git') }) };
  const { ping } = scm;
  scm.ping = () => {
    tries += 1;
    return ping();
  };
  const all = await Promise.all(Array.from({ length: 50 }, () => probeSources(scm, Date.now)));
  expect(all.every(({ works }) => works)).toBe(true);
  expect(tries).toBe(1);
});
