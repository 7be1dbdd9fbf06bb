import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { FileRetrieval } from './agent.ts';
import { bestPassages, passagesOf } from './passages.ts';

class Sample extends FileRetrieval {
  override settings = { subject: '', file_types: ['text', 'document'], max_files: 10 } as const;
}
const workspace = {
  'handbook/holidays.md': '# Holidays\n\nEveryone has thirty days of holiday a year.\n\nAsk your team first.\n',
  'handbook/travel.md': '# Travel\n\nTrains are booked by the office.\n\nA holiday is no journey.\n',
  'private/pay.md': '# Holidays\n\nHoliday pay is secret.\n',
  'holiday.md': new Uint8Array([0, 1, 2, ...Buffer.from('holiday')]),
};

test('finds the passage that says most, with its place', async () => {
  const { result } = await testAgent(Sample, { workspace }).invoke('search', { question: 'How many days of holiday a year?' });
  assert.deepEqual(
    result.passages.slice(0, 1).map(({ path, line, text }) => [path, line, text]),
    [['handbook/holidays.md', 3, 'Everyone has thirty days of holiday a year.']],
  );
  assert.ok(result.passages.every(({ path }) => path.startsWith('handbook/')));
  assert.deepEqual(result.skipped, ['holiday.md'], 'it is no text');
});

test('finds nothing where nothing is said, and asks for no file', async () => {
  const { result } = await testAgent(Sample, { workspace, onScopeRequest: () => false, autoApprove: false }).invoke('search', { question: 'quantum' });
  assert.deepEqual(result, { passages: [], documents: 0, skipped: [] });
});

test('reads nothing when the person refuses', async () => {
  const agent = testAgent(Sample, { workspace, autoApprove: false, onScopeRequest: () => false });
  await assert.rejects(agent.invoke('search', { question: 'holiday' }), { code: 'scope_denied' });
});

test('keeps to the grant that a caller passes on', async () => {
  const agent = testAgent(Sample, { workspace });
  const grant = agent.mintGrant({ allowPatterns: ['handbook/travel.md'] });
  const { result } = await agent.invoke('search', { question: 'holiday' }, { grant });
  assert.deepEqual([result.documents, result.passages.map(({ path }) => path)], [1, ['handbook/travel.md']]);
  await assert.rejects(agent.invoke('read', { path: 'handbook/holidays.md' }, { grant }), { code: 'workspace_denied' });
});

test('shows lines, and says how many there are', async () => {
  const agent = testAgent(Sample, { workspace });
  const { result } = await agent.invoke('read', { path: 'handbook/travel.md', line: 3, lines: 1 });
  assert.equal(result.text, 'Trains are booked by the office.');
  await assert.rejects(agent.invoke('read', { path: 'handbook/travel.md', line: 99 }), { code: 'skill_input_error', message: /has 6 lines/ });
  await assert.rejects(agent.invoke('read', { path: 'nowhere.md' }), { code: 'file_not_found' });
});

test('cuts passages at blank lines and where they get long', () => {
  assert.deepEqual(
    passagesOf('a', 'one\ntwo\n\n\nthree').map(({ line, text }) => [line, text]),
    [
      [1, 'one two'],
      [5, 'three'],
    ],
  );
  assert.ok(passagesOf('a', 'word '.repeat(100).concat('\n').repeat(50)).every(({ text }) => text.length <= 1_500));
  assert.deepEqual(bestPassages('unsaid', passagesOf('a', 'one\n\ntwo'), 5), []);
});
