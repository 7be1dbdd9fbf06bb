import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skill, z } from '@svc/sdk';
import { testAgent } from '@svc/sdk/testing';
import { FormToRecord } from './agent.ts';
import { type Field, filledIn, modelOf, textOf } from './form.ts';

const field = (name: string, type: Field['type'], more: Partial<Field> = {}): Field => ({
  name,
  label: `The ${name}`,
  type,
  required: true,
  choices: [],
  ...more,
});
const fields = [
  field('email', 'email'),
  field('people', 'integer', { required: false }),
  field('day', 'date', { required: false }),
  field('meal', 'choice', { choices: ['meat', 'vegetables'] }),
];

/** The same skills over a form that the tests know. */
class Sample extends FormToRecord {
  override settings = { title: 'Dinner', fields, unique: 'email', anonymousPerDay: 3, webhook: { secret: 'TARGET_URL', hosts: ['hooks.example.com'] } };
  constructor() {
    super();
    this.submit = skill({ ...this.submit.declaration, input: modelOf(fields) }, this.submit.handler);
    this.check = skill({ ...this.check.declaration, input: modelOf(fields) }, this.check.handler);
  }
}
const guest = { email: 'ada@example.com', people: 2, meal: 'meat' };

const owner = { sub: 'usr_owner', scopes: ['records'] };
const ada = { sub: 'usr_ada', email: 'ada@example.com' };
const ben = { sub: 'usr_ben' };

test('keeps what is submitted: each caller finds their own, the owner lists all', async () => {
  const agent = testAgent(Sample);
  const { record, delivery } = (await agent.invoke('submit', guest, { caller: ada })).result;
  assert.deepEqual([record.values, record.by, delivery], [guest, 'ada@example.com', 'no_secret']);
  await agent.invoke('submit', { ...guest, email: 'ben@example.com', meal: 'vegetables' }, { caller: ben });
  const anonymous = (await agent.invoke('submit', { ...guest, email: 'cyd@example.com' }, { caller: null })).result.record;
  assert.equal(anonymous.by, null);
  assert.deepEqual((await agent.invoke('find_records', {}, { caller: ada })).result.records, [record]);
  assert.deepEqual((await agent.invoke('find_records', { query: 'ben' }, { caller: ada })).result.records, []);
  const list = async (args: { query?: string; limit?: number; cursor?: string | null }) => (await agent.invoke('list_records', args, { caller: owner })).result;
  assert.deepEqual((await list({})).records.map(({ by }) => by).sort(), ['ada@example.com', null, 'usr_ben'].sort());
  assert.deepEqual((await list({ query: 'ada' })).records, [record]);
  const first = await list({ limit: 2 });
  assert.equal((await list({ limit: 2, cursor: first.next_cursor })).records.length, 1);
});

test('lists all records for nobody else, and none for who is not signed in', async () => {
  const agent = testAgent(Sample);
  await agent.invoke('submit', guest, { caller: ada });
  for (const caller of [ada, ben, null]) await assert.rejects(agent.invoke('list_records', {}, { caller }), { code: 'missing_scopes' });
  await assert.rejects(agent.invoke('find_records', {}, { caller: null }), { code: 'skill_input_error', message: /Sign in/ });
});

test('refuses a second record with the same value, whoever submits it', async () => {
  const agent = testAgent(Sample);
  await agent.invoke('submit', guest, { caller: ada });
  const again = { ...guest, email: 'ADA@example.com' };
  assert.equal((await agent.invoke('check', again, { caller: ben })).result.taken, true);
  for (const caller of [ada, ben, null])
    await assert.rejects(agent.invoke('submit', again, { caller }), { code: 'skill_input_error', message: /this email already/ });
  assert.equal((await agent.invoke('list_records', {}, { caller: owner })).result.records.length, 1);
});

test('keeps a hundred records of one caller, and others go on', async () => {
  const agent = testAgent(Sample);
  for (let n = 0; n < 100; n += 1) await agent.invoke('submit', { ...guest, email: `guest${n}@example.com` }, { caller: ada });
  await assert.rejects(agent.invoke('submit', guest, { caller: ada }), { code: 'skill_input_error', message: /as one caller may have/ });
  await agent.invoke('submit', guest, { caller: ben });
});

test('keeps so many forms a day of callers who are not signed in; who signs in goes on', async () => {
  const agent = testAgent(Sample);
  const from = (n: number, caller: typeof ben | null) => agent.invoke('submit', { ...guest, email: `guest${n}@example.com` }, { caller });
  for (let n = 0; n < 3; n += 1) await from(n, null);
  await assert.rejects(from(3, null), { code: 'skill_input_error', message: /^Today's 3 forms .*sign in/ });
  await from(3, ben);
  assert.equal((await agent.invoke('list_records', {}, { caller: owner })).result.records.length, 4);
});

test('refuses what does not fit the form', async () => {
  const agent = testAgent(Sample);
  for (const wrong of [
    { meal: 'meat' },
    { ...guest, email: 'ada' },
    { ...guest, meal: 'cake' },
    { ...guest, people: 1.5 },
    { ...guest, day: '24.11.2026' },
    { ...guest, more: 1 },
  ])
    await assert.rejects(agent.invoke('check', wrong), { code: 'skill_input_error' }, JSON.stringify(wrong));
});

test('tells the webhook; a record stays when that fails', async (t) => {
  const told = t.mock.method(globalThis, 'fetch', async () => new Response('ok'));
  const agent = testAgent(Sample, { secrets: { TARGET_URL: 'https://hooks.example.com/x' } });
  assert.equal((await agent.invoke('submit', guest)).result.delivery, 'sent');
  assert.match(String(told.mock.calls[0]?.arguments[1]?.body), /Dinner\\nThe email: ada@example.com\\nThe people: 2/);
  told.mock.mockImplementation(async () => new Response('no', { status: 500 }));
  assert.equal((await agent.invoke('submit', { ...guest, email: 'ben@example.com' })).result.delivery, 'failed');
  assert.equal((await agent.invoke('list_records', {}, { caller: owner })).result.records.length, 2);
});

test('refuses a form that no record can hold', async () => {
  const many = Array.from({ length: 40 }, (_, at) => field(`text${at}`, 'text'));
  class Long extends Sample {
    constructor() {
      super();
      this.submit = skill({ ...this.submit.declaration, input: modelOf(many) }, this.submit.handler);
    }
  }
  const long = Object.fromEntries(many.map(({ name }) => [name, '\u20ac'.repeat(4_000)]));
  await assert.rejects(testAgent(Long).invoke('submit', long), { code: 'skill_input_error', message: /more than 204800 bytes/ });
});

test('leaves out what was not filled in', () => {
  assert.deepEqual(filledIn({ a: '', b: undefined, c: 0, d: false }), { c: 0, d: false });
  assert.equal(textOf({ title: 'T', fields }, { meal: 'meat' }), 'T\nThe meal: meat');
  assert.deepEqual(z.toJSONSchema(modelOf([field('open', 'boolean')])).required, ['open']);
});
