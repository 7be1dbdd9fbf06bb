import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelFailed } from '@svc/sdk';
import { testAgent } from '@svc/sdk/testing';
import { MailTriage } from './agent.ts';
import type { Settings } from './triage.ts';

const known: Settings = {
  categories: [
    { name: 'billing', words: ['invoice', 'pay back'], urgent: false, reply: 'We look into "{subject}" ({category}).' },
    { name: 'outage', words: ['down'], urgent: true, reply: null },
  ],
  other: { urgent: false, reply: 'Thank you.' },
  by_model: false,
};
class Sample extends MailTriage {
  override settings = known;
}
class ByModel extends MailTriage {
  override settings = { ...known, by_model: true };
}
const mail = {
  sender: 'ada@example.com',
  subject: 'Invoice 12',
  body: 'It is wrong.',
  message_id: '<1@example.com>',
  date: '2026-11-24T10:00:00.000Z',
  references: [],
  attachments: [],
};

test('sorts by whole words and phrases, those of the subject first', async () => {
  const agent = testAgent(Sample);
  const sorted = async (subject: string, body: string) => (await agent.invoke('triage', { subject, body })).result;
  assert.deepEqual(await sorted('Invoice', 'The site is down'), {
    category: 'billing',
    urgent: false,
    matched: ['invoice'],
    reply: 'We look into "Invoice" (billing).',
  });
  assert.deepEqual(await sorted('Hello', 'The site is DOWN!'), { category: 'outage', urgent: true, matched: ['down'], reply: null });
  assert.equal((await sorted('Down', 'Before the invoice came')).category, 'outage');
  assert.equal((await sorted('', 'Please pay it, and come back')).category, 'other');
});

test('answers mail, and lists it once', async () => {
  const agent = testAgent(Sample);
  assert.deepEqual((await agent.invoke('on_email', mail)).result, { body: 'We look into "Invoice 12" (billing).', subject: 'Re: Invoice 12' });
  await agent.invoke('on_email', mail);
  assert.equal((await agent.invoke('on_email', { ...mail, message_id: '<2@example.com>', subject: 'All down', body: 'Help' })).result, null);
  const { result } = await agent.invoke('list_mail', { urgent_only: true });
  assert.deepEqual([result.mail.map(({ subject }) => subject), result.counts], [['All down'], { billing: 1, outage: 1 }]);
});

test('a subject cannot write headers or fill in what it says itself', async () => {
  const { result } = await testAgent(Sample).invoke('on_email', { ...mail, subject: 'Invoice\r\nBcc: all@example.com {category}' });
  assert.deepEqual(result, {
    body: 'We look into "Invoice Bcc: all@example.com {category}" (billing).',
    subject: 'Re: Invoice Bcc: all@example.com {category}',
  });
});

test('a model decides where it was asked for, and words where it fails', async () => {
  const decided = testAgent(ByModel, { llm: [{ json: { category: 'outage' } }] });
  assert.equal((await decided.invoke('triage', { body: 'invoice' })).result.category, 'outage');
  const failed = testAgent(ByModel, { llm: [new ModelFailed('spent', { code: 'llm_cap_reached', status: 402 })] });
  assert.equal((await failed.invoke('triage', { body: 'invoice' })).result.category, 'billing');
});

test('refuses an empty and a very long mail', async () => {
  const agent = testAgent(Sample);
  await assert.rejects(agent.invoke('triage', { body: '' }), { code: 'skill_input_error' });
  await assert.rejects(agent.invoke('triage', { body: 'x'.repeat(100_001) }), { code: 'skill_input_error' });
});
