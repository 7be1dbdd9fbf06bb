import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { Librarian } from '../agent.ts';
import { choiceOf } from '../catalogue.ts';
import { passagesOf } from '../passages.ts';

const FILES = {
  'notes/harbour.md': '# Harbour\n\nThe harbour froze in January.\n\n## Ferries\n\nFerries were cancelled for nine days.\n',
  'notes/market.md': '# Market\n\nThe harbour market moved indoors in January.\n',
  'notes/private/diary.md': '# Diary\n\nI like the harbour.\n',
  'data/sales.csv': 'month,revenue\n2026-01,12\n',
};

test('finds passages with their places', async () => {
  const { result } = await testAgent(Librarian, { workspace: FILES }).invoke('find', { question: 'ferries harbour', limit: 3 });
  assert.equal(result.passages[0]?.path, 'notes/harbour.md');
  assert.ok(!JSON.stringify(result).includes('diary'));
  assert.deepEqual(
    passagesOf('a', 'one\n\ntwo\nthree').map(({ line, text }) => [line, text]),
    [
      [1, 'one'],
      [3, 'two three'],
    ],
  );
});

test('finds under a grant what the grant shows, and nothing else', async () => {
  const agent = testAgent(Librarian, { workspace: FILES });
  const grant = agent.mintGrant({ allowPatterns: ['notes/market.md'] });
  const { result } = await agent.invoke('find', { question: 'harbour' }, { grant });
  assert.deepEqual([...new Set(result.passages.map(({ path }) => path))], ['notes/market.md']);
});

test('catalogues what a person chose, where they let it write', async () => {
  const asked: string[] = [];
  const agent = testAgent(Librarian, {
    workspace: FILES,
    onQuestion: ({ prompt }) => (asked.push(prompt), 'all'),
    onScopeRequest: (wish) => wish.writePrefix === 'shelf',
  });
  const { result } = await agent.invoke('catalogue', { subject: 'harbour', shelf: 'shelf' });
  assert.deepEqual(result.written, ['shelf/index.md']);
  assert.match(asked[0] ?? '', /1\) notes\//);
  assert.match(new TextDecoder().decode((await agent.files.read('shelf/index.md')) ?? undefined), /^# Catalogue\n\n## Harbour\n\n`notes\/harbour.md`/);
});

test('writes nothing when it may not', async () => {
  const agent = testAgent(Librarian, { workspace: FILES, onQuestion: () => '1', onScopeRequest: () => 'not today' });
  await assert.rejects(agent.invoke('catalogue', { subject: 'harbour' }), { code: 'scope_denied', message: /not today/ });
  assert.equal(await agent.files.read('catalogue/index.md'), undefined);
});

test('understands how people choose', () => {
  assert.deepEqual(
    ['all', '2, 1', '1 and 3', 'none', '4', 'maybe'].map((said) => choiceOf(said, 3)),
    [[0, 1, 2], [1, 0], [0, 2], [], undefined, undefined],
  );
});
