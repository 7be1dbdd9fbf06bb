import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_ARTIFACT_BYTES } from '#contract/wire/limits.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { addRun, runOf, type TestRun } from '../../workspace/grant/test/runs.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { LINK_SECONDS } from './link.ts';
import { readArtifact } from './read.ts';
import { MAX_BYTES_A_DAY, writeArtifact } from './write.ts';
import { cites } from '#test/spec/verifies.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let agent: TestRun;
let run: TestRun['ctx'];
let nobody: Ctx;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  // Ben's agent, running for Ada.
  agent = await addRun(t.ctx, ben.actor.user_id, ada.actor.user_id, 'public');
  run = agent.ctx;
  nobody = { ...t.ctx, actor: { kind: 'anonymous' } };
});
afterAll(() => t.close());

const make = (name: string, content: string, ctx: Ctx = run, mime_type = 'text/plain') =>
  writeArtifact(ctx, { name, mime_type, body: Readable.from([Buffer.from(content)]) });
const fetchAs = async (ctx: Ctx, name: string, token?: string) => {
  const file = await readArtifact(ctx, { name: agent.agent.name, path: `${run.actor.run_id}/${name}`, token });
  return text(await file.open());
};
const tokenOf = (uri: string): string => new URL(uri).searchParams.get('token') ?? '';

test('its uri names agent, run and file, and opens it for every holder', async () => {
  const ref = await make('report ä.txt', 'made');
  expect(ref).toMatchObject({ name: 'report ä.txt', mime_type: 'text/plain', size_bytes: 4 });
  const uri = new URL(ref.uri);
  expect(decodeURIComponent(uri.pathname)).toBe(`/v1/agents/${agent.agent.name}/api/files/${run.actor.run_id}/report ä.txt`);
  expect(await fetchAs(nobody, 'report ä.txt', tokenOf(ref.uri))).toBe('made');
});

test("without the link: only the run's user, the agent's owner, the run and the one that called it", async () => {
  await make('for-ada.txt', 'made');
  for (const ctx of [ada, ben, run]) expect(await fetchAs(ctx, 'for-ada.txt')).toBe('made');
  const stranger = await addRun(t.ctx, ada.actor.user_id, ada.actor.user_id);
  for (const ctx of [nobody, await t.user('cyd'), stranger.ctx])
    await expect(fetchAs(ctx, 'for-ada.txt')).rejects.toMatchObject({ code: 'artifact_not_found' });
  const caller = await runOf(t.ctx, stranger.agent, ada.actor.user_id, ada.actor.user_id);
  await t.ctx.db('runs').where({ run_id: run.actor.run_id }).update({ parent_run_id: caller.actor.run_id });
  expect(await fetchAs(caller, 'for-ada.txt')).toBe('made');
});

test('a link opens its own file until it ends, and cannot be made or bent', cites('run.artifacts'), async () => {
  const token = tokenOf((await make('one.txt', '1')).uri);
  await make('two.txt', '2');
  const [end = '', mac = ''] = token.split('.');
  const bent = [
    `${Number(end) + 1}.${mac}`,
    `${end}.${mac.slice(0, -2)}AA`,
    `${end}.`,
    `.${mac}`,
    mac,
    '',
    `${token}.x`,
    `0${token}`,
    `${token}=`,
    ` ${token}`,
  ];
  for (const forged of bent) await expect(fetchAs(nobody, 'one.txt', forged), forged).rejects.toMatchObject({ code: 'artifact_not_found' });
  await expect(fetchAs(nobody, 'two.txt', token)).rejects.toMatchObject({ code: 'artifact_not_found' });
  const later = { ...nobody, clock: () => Date.now() + LINK_SECONDS * 1000 + 1000 };
  await expect(fetchAs(later, 'one.txt', token)).rejects.toMatchObject({ code: 'link_expired' });
  // Who may see it anyway is not stopped by a link that has ended.
  expect(await fetchAs({ ...ada, clock: later.clock }, 'one.txt', token)).toBe('1');
});

test('the same again is the same; another content under the name is refused', async () => {
  const [one, again] = await Promise.all([make('same.txt', 'x'), make('same.txt', 'x')]);
  expect(again.name).toBe(one.name);
  expect(await t.ctx.db('artifacts').where({ run_id: run.actor.run_id, name: 'same.txt' })).toHaveLength(1);
  await expect(make('same.txt', 'y')).rejects.toMatchObject({ code: 'artifact_exists' });
  await expect(make('same.txt', 'x', run, 'text/html')).rejects.toMatchObject({ code: 'artifact_exists' });
});

test.each(['', '.', '..', 'a/b', '../x', 'a\\b', 'a\0', 'a\nb', 'ä'.repeat(128), 'a*'])('the name %j is refused', async (name) => {
  await expect(make(name, 'x')).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path: ['params', 'name'] }] });
});

test('a type that is none is refused, and so is what is too large', async () => {
  await expect(make('a', 'x', run, 'text')).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(make('a', 'x', run, 'text/plain\r\nx: y')).rejects.toMatchObject({ code: 'invalid_input' });
  const piece = Buffer.alloc(1024 * 1024);
  const body = Readable.from(Array.from({ length: MAX_ARTIFACT_BYTES / piece.length + 1 }, () => piece));
  await expect(writeArtifact(run, { name: 'big', mime_type: 'text/plain', body })).rejects.toMatchObject({ code: 'content_too_large' });
});

test('a run makes two hundred and no more', async () => {
  const many = await runOf(t.ctx, agent.agent, ben.actor.user_id, ada.actor.user_id);
  await make('first', 'x', many);
  const [row] = await t.ctx.db('artifacts').where({ run_id: many.actor.run_id });
  if (!row) throw new Error('no artifact');
  await t.ctx.db.batchInsert(
    'artifacts',
    Array.from({ length: 199 }, (_, n) => ({ ...row, artifact_id: `${row.artifact_id}${n}`, name: `n${n}` })),
  );
  await expect(make('last', 'x', many)).rejects.toMatchObject({ code: 'too_many_artifacts' });
});

test('only a run makes artifacts', async () => {
  await expect(make('a', 'x', ada)).rejects.toMatchObject({ code: 'run_required' });
});

test("an author's agents store so much a day together, and no other author is counted with them", async () => {
  const author = (await t.user('mill')).actor.user_id;
  const many = await addRun(t.ctx, author, ada.actor.user_id);
  await make('first.txt', 'a', many.ctx);
  await t.ctx.db('artifacts').where({ run_id: many.ctx.actor.run_id }).update({ size_bytes: MAX_BYTES_A_DAY });
  const next = await addRun(t.ctx, author, ada.actor.user_id);
  await expect(make('second.txt', 'b', next.ctx)).rejects.toMatchObject({ name: 'PayloadTooLarge', code: 'too_much_today' });
  await make('not-theirs.txt', 'b');
  await t.ctx
    .db('artifacts')
    .where({ run_id: many.ctx.actor.run_id })
    .update({ created_at: new Date(Date.now() - 25 * 3_600_000) });
  await make('second.txt', 'b', next.ctx);
});
