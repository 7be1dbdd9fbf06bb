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
  override settings = { title: 'Dinner', fields, unique: 'email', webhook: { secret: 'TARGET_URL', hosts: ['hooks.example.com'] } };
  constructor() {
    super();
    this.submit = skill({ ...this.submit.declaration, input: modelOf(fields) }, this.submit.handler);
    this.check = skill({ ...this.check.declaration, input: modelOf(fields) }, this.check.handler);
  }
}
const guest = { email: 'ada@example.com', people: 2, meal: 'meat' };

test('keeps what is submitted, and finds it again', async () => {
  const agent = testAgent(Sample);
  const { record, delivery } = (await agent.invoke('submit', guest)).result;
  assert.deepEqual([record.values, delivery], [guest, 'no_secret']);
  await agent.invoke('submit', { ...guest, email: 'ben@example.com', meal: 'vegetables' });
  assert.equal((await agent.invoke('find_records', {})).result.records.length, 2);
  assert.deepEqual((await agent.invoke('find_records', { query: 'ada' })).result.records, [record]);
});

test('refuses a second record with the same value', async () => {
  const agent = testAgent(Sample);
  await agent.invoke('submit', guest);
  assert.equal((await agent.invoke('check', { ...guest, email: 'ADA@example.com' })).result.taken, true);
  await assert.rejects(agent.invoke('submit', { ...guest, email: 'ADA@example.com' }), { code: 'skill_input_error', message: /this email already/ });
  assert.equal((await agent.invoke('find_records', {})).result.records.length, 1);
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
  assert.equal((await agent.invoke('find_records', {})).result.records.length, 2);
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
