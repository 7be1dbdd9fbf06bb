// Settings through the API: bounds and versions, and that limits follow them in every process without a
// restart.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SETTINGS, type SettingName } from '#contract/platform/settings.ts';
import { setting } from '#core/kernel/settings.ts';
import { expire } from '#core/platform/housekeeping/expire.ts';
import { createPool } from '#db/pool.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type Who, type World } from '#test/api/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const admin = (who: Who = 'operator') => world.as(who).admin;
const put = (key: string, value: number, version: number) => admin().putSetting({ params: { key }, body: { value, version } });
async function set(key: SettingName, value: number) {
  return put(key, value, (await admin().getSetting({ params: { key } })).version);
}
const reset = (key: SettingName) => set(key, SETTINGS[key].default_value);

verifies(['admin.listSettings', 'admin.getSetting'], 'shows every setting with its default and bounds', async () => {
  const { items } = await admin().listSettings();
  expect(items.map(({ key }) => key)).toEqual(Object.keys(SETTINGS));
  for (const one of items) expect(one).toMatchObject({ value: one.default_value, version: 0, updated_at: null });
  expect(await admin().getSetting({ params: { key: 'patch_days' } })).toEqual(items.find(({ key }) => key === 'patch_days'));
  for (const key of ['nothing_such', 'constructor', 'to_string'])
    await expect(admin().getSetting({ params: { key } }), key).rejects.toMatchObject({ status: 404, code: 'setting_not_found' });
  await expect(put('constructor', 1, 0)).rejects.toMatchObject({ status: 404, code: 'setting_not_found' });
});

verifies('admin.putSetting', 'changes a setting from the version that was read, once, within its bounds', async () => {
  expect(await put('firing_days', 10, 0)).toMatchObject({ value: 10, version: 1, default_value: 90 });
  await expect(put('firing_days', 20, 0)).rejects.toMatchObject({ status: 409, code: 'version_conflict' });
  for (const value of [0, -1, 3_651]) await expect(put('firing_days', value, 1), String(value)).rejects.toMatchObject({ status: 422 });
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => put('firing_days', 20 + n, 1)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await admin().getSetting({ params: { key: 'firing_days' } })).toMatchObject({ version: 2 });
  const audited = await world.ctx.db('audit_log').where({ action: 'setting.put', target_id: 'firing_days' }).orderBy('audit_id').select('details');
  expect(audited).toMatchObject([{ details: { from: null, to: 10, version: 1 } }, { details: { from: 10, version: 2 } }]);
  await reset('firing_days');
});

test('the first write of ten at once wins', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => put('sandboxes_per_author', 10 + n, 0)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await reset('sandboxes_per_author');
});

test('how many agents an account may have follows at once', async () => {
  const register = (name: string) => world.as('ben').agents.register({ body: { name } });
  await register('settings-one');
  await set('agents_per_account', 1);
  await expect(register('settings-two')).rejects.toMatchObject({ status: 402, code: 'agent_limit', message: expect.stringContaining('has 1 agents') });
  await set('agents_per_account', 2);
  await register('settings-two');
  await reset('agents_per_account');
});

test('so does how many schedules', async () => {
  const name = world.records['name'] ?? '';
  const target = { kind: 'skill' as const, agent: name, skill: 'greet', args: {} };
  const create = () => world.as('ada').schedules.create({ body: { cron: '0 0 1 1 *', target, paused: true } });
  const there = (await world.as('ada').schedules.list({ query: { limit: 100 } })).items.length;
  await set('schedules_per_account', there + 1);
  await create();
  await expect(create()).rejects.toMatchObject({ status: 409, code: 'too_many_schedules' });
  await reset('schedules_per_account');
  await create();
});

test('and how long one can look up what a schedule did', async () => {
  const { db } = world.ctx;
  const { schedule_id = '' } = (await db('schedules').first('schedule_id')) ?? {};
  const at = new Date(Date.now() - 5 * 86_400_000).toISOString();
  const firing_id = 'fir_settings';
  await db('schedule_firings').insert({ firing_id, schedule_id, cause: 'time', due_at: at, state: 'missed', started_at: at, ended_at: at });
  const there = async () => (await db('schedule_firings').where({ firing_id })).length;
  await expire(db, Date.now());
  expect(await there()).toBe(1);
  await set('firing_days', 4);
  await expire(db, Date.now());
  expect(await there()).toBe(0);
  await reset('firing_days');
});

test('another process follows within seconds', async () => {
  const elsewhere = createPool({ connectionString: world.databaseUrl });
  try {
    expect(await setting(elsewhere, 'patch_days')).toBe(30);
    await set('patch_days', 7);
    expect(await setting(world.ctx.db, 'patch_days')).toBe(7);
    // In a transaction too.
    await expect.poll(() => elsewhere.transaction((tx) => setting(tx, 'patch_days')), { timeout: 10_000, interval: 100 }).toBe(7);
  } finally {
    await elsewhere.destroy();
    await reset('patch_days');
  }
});

test('only operators read and change settings', async () => {
  const refused = { status: 403 };
  await expect(admin('ada').listSettings()).rejects.toMatchObject(refused);
  await expect(admin('ada').getSetting({ params: { key: 'patch_days' } })).rejects.toMatchObject(refused);
  await expect(admin('ada').putSetting({ params: { key: 'patch_days' }, body: { value: 5, version: 0 } })).rejects.toMatchObject(refused);
});
