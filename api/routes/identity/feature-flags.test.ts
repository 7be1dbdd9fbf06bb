// Feature flags through the API: their types, values of one account, what changes leave behind, and who may
// do it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FlagValue } from '#contract/identity/feature-flags.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type Who, type World } from '#test/api/world.ts';

let world: World;
let ada: string;
beforeAll(async () => {
  world = await createWorld();
  ada = world.records['user_id'] ?? '';
});
afterAll(() => world.close());

const admin = (who: Who = 'operator') => world.as(who).admin;
const define = (flag_key: string, more: { type?: 'boolean' | 'string' | 'number' | 'choice'; choices?: string[]; default_value: FlagValue }) =>
  admin().putFeatureFlag({ body: { flag_key, type: 'boolean', ...more } });
const override = (overrides: Record<string, FlagValue>, user_id = ada) => admin().putUserFeatureFlags({ params: { user_id }, body: { overrides } });
const seenBy = async (who: 'ada' | 'ben', key: string) => (await world.as(who).featureFlags.list()).items.find(({ flag_key }) => flag_key === key);
const audited = (target_id: string) =>
  world.ctx.db('audit_log').where({ target_id }).whereLike('action', 'feature_flag.%').orderBy('audit_id').select('action', 'details');

verifies('admin.putFeatureFlag', 'defines a flag of each type and changes it', async () => {
  expect(await define('put.boolean', { default_value: false })).toMatchObject({ type: 'boolean', choices: null, default_value: false, overrides: 0 });
  expect(await define('put.boolean', { default_value: true })).toMatchObject({ default_value: true });
  expect(await define('put.number', { type: 'number', default_value: 0.5 })).toMatchObject({ default_value: 0.5 });
  expect(await define('put.string', { type: 'string', default_value: '' })).toMatchObject({ default_value: '' });
  expect(await define('put.choice', { type: 'choice', choices: ['a', 'b'], default_value: 'b' })).toMatchObject({ choices: ['a', 'b'], default_value: 'b' });
  expect(await audited('put.boolean')).toMatchObject([
    { action: 'feature_flag.put', details: { from: null, to: { default_value: false } } },
    { action: 'feature_flag.put', details: { from: { default_value: false }, to: { default_value: true } } },
  ]);
});

test('a default that is not of the type, and choices where none belong, are refused', async () => {
  const wrong = [
    { default_value: 'true' },
    { type: 'number', default_value: '1' },
    { type: 'string', default_value: 1 },
    { type: 'choice', default_value: 'a' },
    { type: 'choice', choices: ['a', 'b'], default_value: 'c' },
    { type: 'choice', choices: ['a', 'a'], default_value: 'a' },
    { type: 'choice', choices: [], default_value: 'a' },
    { type: 'boolean', choices: ['a'], default_value: true },
  ] as const;
  for (const one of wrong) {
    const { choices, ...more } = { choices: undefined, ...one };
    await expect(define('wrong', { ...more, ...(choices && { choices: [...choices] }) }), JSON.stringify(one)).rejects.toMatchObject({ status: 422 });
  }
  expect(await seenBy('ada', 'wrong')).toBeUndefined();
});

verifies(['featureFlags.list', 'admin.putUserFeatureFlags'], 'an account has the default until an operator gives it a value of its own', async () => {
  await define('mine', { type: 'choice', choices: ['old', 'new'], default_value: 'old' });
  expect(await seenBy('ada', 'mine')).toEqual({ flag_key: 'mine', type: 'choice', value: 'old', overridden: false });
  expect(await override({ mine: 'new' })).toMatchObject({ user_id: ada, overrides: { mine: 'new' }, values: { mine: 'new' } });
  expect(await seenBy('ada', 'mine')).toMatchObject({ value: 'new', overridden: true });
  expect(await seenBy('ben', 'mine')).toMatchObject({ value: 'old', overridden: false });
  expect(await override({})).toMatchObject({ overrides: {}, values: { mine: 'old' } });
  expect(await seenBy('ada', 'mine')).toMatchObject({ value: 'old', overridden: false });
});

test('a value that switches something off is one too: false, 0 and the empty string', async () => {
  await define('off.boolean', { default_value: true });
  await define('off.number', { type: 'number', default_value: 1 });
  await define('off.string', { type: 'string', default_value: 'x' });
  const off = { 'off.boolean': false, 'off.number': 0, 'off.string': '' };
  expect(await override(off)).toMatchObject({ overrides: off, values: off });
  await override({});
});

test('each changed value leaves one audit row, an unchanged one none; a wrong one changes nothing', async () => {
  await define('a1', { default_value: false });
  await define('a2', { type: 'number', default_value: 1 });
  const before = (await audited(ada)).length;
  await override({ a1: true, a2: 5 });
  await override({ a1: true, a2: 6 });
  await override({});
  const rows = (await audited(ada)).slice(before).map(({ details }) => details);
  expect(rows).toHaveLength(5);
  expect(rows.slice(0, 3)).toEqual([
    { flag_key: 'a1', from: null, to: true },
    { flag_key: 'a2', from: null, to: 5 },
    { flag_key: 'a2', from: 5, to: 6 },
  ]);
  const places = (path: string) => ({ status: 422, message: expect.stringContaining(path) });
  await expect(override({ a1: true, a2: 'six' })).rejects.toMatchObject(places('body.overrides.a2: must be a number'));
  await expect(override({ a1: true, nothere: true })).rejects.toMatchObject(places('body.overrides.nothere: there is no such feature flag'));
  expect(await audited(ada)).toHaveLength(before + 5);
  expect(await seenBy('ada', 'a1')).toMatchObject({ overridden: false });
});

test('a change that accounts’ values would not fit is refused', async () => {
  await define('held', { type: 'choice', choices: ['a', 'b'], default_value: 'a' });
  await override({ held: 'b' });
  await expect(define('held', { type: 'choice', choices: ['a'], default_value: 'a' })).rejects.toMatchObject({ status: 409, code: 'flag_overridden' });
  await expect(define('held', { default_value: true })).rejects.toMatchObject({ code: 'flag_overridden' });
  expect(await define('held', { type: 'choice', choices: ['b', 'c'], default_value: 'c' })).toMatchObject({ overrides: 1 });
  expect(await seenBy('ada', 'held')).toMatchObject({ value: 'b' });
});

verifies(['admin.deleteFeatureFlag', 'admin.listFeatureFlags', 'admin.userFeatureFlags'], 'a deleted flag takes every value of it along', async () => {
  await define('doomed', { default_value: false });
  await override({ doomed: true });
  expect((await admin().listFeatureFlags()).items.find(({ flag_key }) => flag_key === 'doomed')).toMatchObject({ overrides: 1 });
  await admin().deleteFeatureFlag({ params: { flag_key: 'doomed' } });
  expect(await world.ctx.db('feature_flag_overrides').where({ flag_key: 'doomed' })).toEqual([]);
  expect((await admin().userFeatureFlags({ params: { user_id: ada } })).values).not.toHaveProperty('doomed');
  await expect(admin().deleteFeatureFlag({ params: { flag_key: 'doomed' } })).rejects.toMatchObject({ status: 404, code: 'flag_not_found' });
  // Defined again, it begins with its default for everybody.
  await define('doomed', { default_value: false });
  expect(await seenBy('ada', 'doomed')).toMatchObject({ value: false, overridden: false });
  expect((await audited('doomed')).map(({ action }) => action)).toEqual(['feature_flag.put', 'feature_flag.delete', 'feature_flag.put']);
});

test('twenty changes of one account at once: the values are those of one of them', async () => {
  await define('c1', { type: 'number', default_value: 0 });
  await define('c2', { type: 'number', default_value: 0 });
  await Promise.all(Array.from({ length: 20 }, (_, n) => override({ c1: n + 1, c2: n + 1 })));
  const { overrides } = await admin().userFeatureFlags({ params: { user_id: ada } });
  expect(overrides['c1']).toBeGreaterThan(0);
  expect(overrides['c1']).toBe(overrides['c2']);
});

test('only operators govern flags; an account that does not exist has none', async () => {
  const refused = { status: 403 };
  await expect(admin('ada').listFeatureFlags()).rejects.toMatchObject(refused);
  await expect(admin('ada').putFeatureFlag({ body: { flag_key: 'x', type: 'boolean', default_value: true } })).rejects.toMatchObject(refused);
  await expect(admin('ada').deleteFeatureFlag({ params: { flag_key: 'mine' } })).rejects.toMatchObject(refused);
  await expect(admin('ada').userFeatureFlags({ params: { user_id: ada } })).rejects.toMatchObject(refused);
  await expect(admin('ada').putUserFeatureFlags({ params: { user_id: ada }, body: { overrides: { mine: 'new' } } })).rejects.toMatchObject(refused);
  expect(await seenBy('ada', 'mine')).toMatchObject({ overridden: false });
  await expect(override({}, 'usr_nobody')).rejects.toMatchObject({ status: 404, code: 'user_not_found' });
  await expect(admin().userFeatureFlags({ params: { user_id: 'usr_nobody' } })).rejects.toMatchObject({ status: 404, code: 'user_not_found' });
});
