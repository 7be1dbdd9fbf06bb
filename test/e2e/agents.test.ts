// The three examples together, each in its machine: questions over crashes, wider scopes, grants handed on,
// sandboxes, artifacts, loops.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createClient } from '#contract/client.ts';
import { ArtifactRef } from '#contract/wire/events.ts';
import { CODE, FILES } from '#stack/demo/files.ts';
import { type Person, personOf, signedIn } from '#stack/demo/person.ts';
import { greeterFiles } from '../support/project.ts';
import { type Installation, installation, ok, partStatus, repository } from './installation.ts';

let i: Installation;
let ada: Person;
let ben: Person;

beforeAll(async () => {
  i = await installation({ SVC_SANDBOX_PREPARE_SECONDS: '5' });
  ok(await i.stack('up'));
  const home = join(i.home, '..', 'ben');
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  ok(await i.svcAs(home, 'login', '--local', 'ben@svc.local'));
  [ada, ben] = await Promise.all([signedIn(i.baseUrl, i.home), signedIn(i.baseUrl, home)]);
  for (const name of ['chart-room', 'librarian', 'analyst']) ok(await i.svc('deploy', join(repository, 'examples', name), '--public', '--wait'));
  await Promise.all(Object.entries(FILES).map(([path, content]) => ada.put(path, content)));
});
afterAll(() => i?.destroy());

const again = async (part: string, before: number | undefined): Promise<void> => {
  await vi.waitFor(
    async () => {
      const now = await partStatus(i, part);
      expect([now.pid !== before, now.state]).toEqual([true, 'healthy']);
    },
    { timeout: 60_000, interval: 500 },
  );
};
const statusOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 200,
    (error: unknown) => (error instanceof Error && 'status' in error ? error.status : Promise.reject(error)),
  );

test('a table is drawn from a file the agent asked for; the artifact opens only by its link, and not by a bent one', async () => {
  const { events, receiptId } = await ada.watch('chart-room', 'draw', { file: 'data/ferries.csv' });
  const [chart] = events.flatMap(({ kind, payload }) => (kind === 'artifact' ? [ArtifactRef.parse(payload)] : []));
  if (!chart) throw new Error('no artifact');
  const given = await fetch(chart.uri);
  expect(given.headers.get('content-type')).toContain('image/svg+xml');
  expect(await given.text()).toContain('<svg');
  const bent = new URL(chart.uri);
  for (const [name, value] of bent.searchParams) bent.searchParams.set(name, `${value.slice(0, -2)}AA`);
  expect((await fetch(bent)).status).toBeGreaterThanOrEqual(400);
  ok(await i.svc('receipt', 'verify', receiptId, '--agent', 'chart-room'));
});

test('a question is answered over a killed worker, once; what was approved is written when the run has succeeded', async () => {
  let wait = '';
  let strangers: unknown;
  let second: unknown;
  const done = await ada.watch(
    'librarian',
    'catalogue',
    { subject: 'ferries harbour' },
    {
      onEvent: async ({ kind, payload }) => {
        if (kind !== 'question') return;
        wait = String(payload.question_id);
        const before = (await partStatus(i, 'worker')).pid;
        await i.kill('worker');
        await again('worker', before);
        const answer = { params: { question_id: wait }, body: { answer: 'all' } };
        strangers = await statusOf(ben.client.chat.answerQuestion(answer));
        await vi.waitFor(async () => expect([200, 409]).toContain(await statusOf(ada.client.chat.answerQuestion(answer))), {
          timeout: 60_000,
          interval: 1_000,
        });
        second = await statusOf(ada.client.chat.answerQuestion(answer));
      },
      onScope: () => ({ decision: 'approve' }),
    },
  );
  expect([strangers, second]).toEqual([404, 409]);
  expect(done.result).toMatchObject({ written: ['catalogue/index.md'] });
  expect(await (await ada.client.files.get({ params: { path: 'catalogue/index.md' } })).text()).toMatch(/^# Catalogue/);
});

test('denied, or decided by nobody in time, nothing is written', async () => {
  const args = { subject: 'ferries harbour', shelf: 'elsewhere' };
  const onQuestion = () => 'all';
  await expect(ada.watch('librarian', 'catalogue', args, { onQuestion, onScope: () => ({ decision: 'deny', reason: 'not today' }) })).rejects.toThrow(
    /scope_denied.*not today/,
  );
  await expect(ada.watch('librarian', 'catalogue', { ...args, wait_seconds: 3 }, { onQuestion })).rejects.toThrow(/scope_denied/);
  await expect(ada.watch('librarian', 'catalogue', { ...args, wait_seconds: 3 })).rejects.toThrow(/question_expired/);
  expect(await statusOf(ada.client.files.get({ params: { path: 'elsewhere/index.md' } }))).toBe(404);
});

test('a part of a grant is handed on to each helper, recorded, and over with the run; untrusted code sees the table and no network', async () => {
  const { result } = await ada.watch('analyst', 'investigate', { question: 'Why were the ferries late?', data: 'data/ferries.csv', code: CODE });
  expect(result).toMatchObject({
    rows: 10,
    exit_code: 0,
    helped_by: ['chart-room', 'librarian'],
    computed: expect.stringMatching(/most ferries late[\s\S]*no network here/),
  });
  const { items } = await ada.client.grants.list();
  const root = items.find(({ audience, parent_grant_id }) => audience === 'analyst' && parent_grant_id === null);
  const tree = await ada.client.grants.get({ params: { grant_id: root?.grant_id ?? '' } });
  expect(tree.extensions.map(({ audience, allow_patterns, state }) => [audience, allow_patterns, state])).toEqual(
    expect.arrayContaining([
      ['chart-room', ['data/ferries.csv'], 'revoked'],
      ['librarian', ['notes/**'], 'revoked'],
    ]),
  );
  expect(await statusOf(ben.client.grants.get({ params: { grant_id: root?.grant_id ?? '' } }))).toBe(404);
});

test('nobody who called without an account is asked', async () => {
  const nobody = personOf(createClient({ baseUrl: i.baseUrl }));
  await expect(nobody.watch('librarian', 'find', { question: 'ferries' })).rejects.toThrow();
});

test('agents that call each other go round once', async () => {
  const other = { ping: 'pong', pong: 'ping' };
  for (const [name, target] of Object.entries(other)) {
    const files = greeterFiles(name);
    files['agent.ts'] = (files['agent.ts'] ?? '').replace(
      /\n}\n$/,
      `
  pass = skill({ description: 'Passes on' }, async (ctx) => (await ctx.call('${target}', 'pass', {})).result);
}
`,
    );
    ok(await i.svc('deploy', await i.project(name, files), '--wait'));
  }
  await expect(ada.client.agents.invoke({ params: { name: 'ping', skill_name: 'pass' }, body: {} })).rejects.toMatchObject({ status: 502 });
});
