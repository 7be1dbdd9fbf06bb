import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { expire } from '../../platform/housekeeping/expire.ts';
import { inTx } from '../../kernel/tx.ts';
import { MAX_BUCKET_BYTES } from '../file/bucket-usage.ts';
import { getFile, listFiles } from '../file/read.ts';
import { type FilePart, uploadFile } from '../file/upload.ts';
import { removeFile } from '../file/remove.ts';
import { bucketOf } from '../grant/bucket.ts';
import { delegateGrant } from '../grant/delegate.ts';
import { type Mint, mintGrant } from '../grant/mint.ts';
import { revokeGrant } from '../grant/revoke.ts';
import { addRun, runOf, type TestRun } from '../grant/test/runs.ts';
import { listPatches } from './list.ts';
import { closePatches } from './settle.ts';
import { deleteGranted, type Write, writeGranted } from './stage.ts';
import { listGranted, readGranted } from './view.ts';

let t: TestContext;
let ada: TestUser;
let agent: TestRun;
let run: TestRun['ctx'];
let token: string;
beforeAll(async () => {
  t = await testContext();
});
afterAll(() => t.close());
beforeEach(async () => {
  ada = await t.user('ada');
  agent = await addRun(t.ctx, ada.actor.user_id, ada.actor.user_id);
  run = agent.ctx;
  token = await grant();
});

const grant = async (more: Partial<Mint> = {}): Promise<string> => {
  const due = {
    userId: ada.actor.user_id,
    audience: agent.agent.name,
    allow: ['**'],
    deny: [],
    mode: 'read_write_overlay',
    outputsPrefix: null,
    ttlSeconds: 300,
  } as const;
  return (await inTx(ada, (ctx) => mintGrant(ctx, { ...due, ...more }))).token;
};
const write = (ctx: Ctx, path: string, content: string, more: Partial<Write> = {}) =>
  writeGranted(ctx, { token, path, body: Readable.from([Buffer.from(content)]), mime: undefined, ...more });
const read = async (ctx: Ctx, path: string, by = token) => text(await (await readGranted(ctx, { token: by, path })).open());
const closePatchesOfRun = (ctx: Ctx & { actor: { run_id: string } }, decision: 'commit' | 'reject', reason?: string) =>
  inTx(t.ctx, (inner) => closePatches(inner, ctx.actor.run_id, decision, reason));
const paths = async () => (await listFiles(ada, { limit: 100 })).items.map(({ path }) => path);
const seen = async (ctx: Ctx, by = token) => (await listGranted(ctx, { token: by, limit: 100 })).items.map(({ path, staged }) => `${path}${staged ? '+' : ''}`);
const own = async (path: string) => text(await (await getFile(ada, { path })).open());
async function* form(path: string, content: string): AsyncGenerator<FilePart> {
  yield { kind: 'field', name: 'path', value: path };
  yield { kind: 'file', name: 'file', filename: 'x', media: '', stream: Readable.from([Buffer.from(content)]) };
}
const put = (path: string, content: string) => uploadFile(ada, form(path, content), {});

describe('what a run writes is staged', () => {
  test('its own reader sees it over the files; the user sees nothing until it is committed', async () => {
    await put('a', 'base');
    await put('b', 'base');
    expect(await write(run, 'a', 'new')).toMatchObject({ path: 'a', operation: 'write', state: 'staged', size_bytes: 3, reason: null });
    await write(run, 'out/c.txt', 'made');
    expect(await deleteGranted(run, { token, path: 'b' })).toMatchObject({ operation: 'delete', sha256: null, state: 'staged' });
    expect(await read(run, 'a')).toBe('new');
    expect(await seen(run)).toEqual(['a+', 'out/c.txt+']);
    await expect(read(run, 'b')).rejects.toMatchObject({ code: 'file_not_found' });
    await expect(deleteGranted(run, { token, path: 'b' })).rejects.toMatchObject({ code: 'file_not_found' });
    expect([await own('a'), await paths()]).toEqual(['base', ['a', 'b']]);
    // Another run of the same agent, with the same grant, sees the files as they are.
    const other = await runOf(t.ctx, agent.agent, ada.actor.user_id, ada.actor.user_id);
    expect(await seen(other)).toEqual(['a', 'b']);

    expect(await closePatchesOfRun(run, 'commit')).toEqual({ committed: 3, rejected: 0 });
    expect([await own('a'), await own('out/c.txt'), await paths()]).toEqual(['new', 'made', ['a', 'out/c.txt']]);
    const audited = await t.ctx.db('audit_log').whereIn('action', ['file.write', 'file.delete']).whereRaw(`details->>'run_id' = ?`, [run.actor.run_id]);
    expect(audited.map(({ target_id }) => target_id).sort()).toEqual(['a', 'b', 'out/c.txt'].map((path) => `${bucketOf(ada.actor.user_id)}/${path}`));
  });

  test('rejected, it leaves the files as they were; settling twice is settling once', async () => {
    await put('a', 'base');
    await write(run, 'a', 'new');
    expect(await closePatchesOfRun(run, 'reject', 'skill_failed')).toEqual({ committed: 0, rejected: 1 });
    expect(await closePatchesOfRun(run, 'commit')).toEqual({ committed: 0, rejected: 0 });
    expect(await own('a')).toBe('base');
    expect(await listPatches(run, { grant_token: token })).toMatchObject([{ path: 'a', state: 'rejected', reason: 'skill_failed' }]);
  });

  test('two that settle at once commit once', async () => {
    await write(run, 'a', 'new');
    const both = await Promise.all([closePatchesOfRun(run, 'commit'), closePatchesOfRun(run, 'commit')]);
    expect(both.map(({ committed }) => committed).sort()).toEqual([0, 1]);
  });

  test('a second write of a path takes the place of the first, and stands on the same base', async () => {
    await put('a', 'base');
    const first = await write(run, 'a', 'one');
    const second = await write(run, 'a', 'two');
    expect(second.patch_id).toBe(first.patch_id);
    expect(await listPatches(run, { grant_token: token })).toHaveLength(1);
    await deleteGranted(run, { token, path: 'a' });
    await write(run, 'a', 'three');
    await closePatchesOfRun(run, 'commit');
    expect(await own('a')).toBe('three');
  });

  test('what was made and deleted in one run was never there', async () => {
    await write(run, 'a', 'x');
    await deleteGranted(run, { token, path: 'a' });
    expect(await closePatchesOfRun(run, 'commit')).toEqual({ committed: 1, rejected: 0 });
    expect(await paths()).toEqual([]);
  });

  test('a run that has ended writes no more', async () => {
    await write(run, 'a', 'x');
    await t.ctx.db('runs').where({ run_id: run.actor.run_id }).update({ state: 'failed', ended_at: new Date() });
    await expect(write(run, 'b', 'x')).rejects.toMatchObject({ code: 'run_ended' });
  });

  test('a hundred writes of one path at once are one patch', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, n) => write(run, 'same', `content ${n}`)));
    expect(await listPatches(run, { grant_token: token })).toHaveLength(1);
    expect(await closePatchesOfRun(run, 'commit')).toEqual({ committed: 1, rejected: 0 });
    expect(await own('same')).toMatch(/^content \d+$/);
  });

  test('a run sees what the run that called it staged, and commits its own on its own', async () => {
    await write(run, 'draft', 'by the parent');
    const callee = await addRun(t.ctx, ada.actor.user_id, ada.actor.user_id);
    const ask = {
      parentToken: token,
      audience: callee.agent.name,
      allow_patterns: ['**'],
      deny_patterns: [],
      mode: 'read_write_overlay',
      outputs_prefix: null,
      ttl_seconds: 60,
    } as const;
    const handed = await delegateGrant(run, ask);
    const child = { ...callee.ctx, actor: { ...callee.ctx.actor, parent_run_id: run.actor.run_id } };
    expect(await seen(child, handed.token)).toEqual(['draft+']);
    expect(await read(child, 'draft', handed.token)).toBe('by the parent');
    await write(child, 'review', 'by the child', { token: handed.token });
    expect(await seen(run)).toEqual(['draft+']);
    await closePatchesOfRun(child, 'commit');
    expect(await seen(run)).toEqual(['draft+', 'review']);
    expect(await paths()).toEqual(['review']);
  });
});

describe('a commit', () => {
  test('of a thousand files is one short transaction', async () => {
    await write(run, 'n/seed', 'x');
    const [seed] = await t.ctx.db('patches').where({ run_id: run.actor.run_id });
    if (!seed) throw new Error('no seed');
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ ...seed, patch_id: `${seed.patch_id}${n}`, path: `n/${n}` }));
    await t.ctx.db.batchInsert('patches', rows, 200);
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }): void => void statements.push(sql);
    t.ctx.db.on('query', note);
    expect(await closePatchesOfRun(run, 'commit')).toEqual({ committed: 1_001, rejected: 0 });
    t.ctx.db.off('query', note);
    expect(statements.filter((sql) => sql === 'BEGIN;')).toHaveLength(1);
    // One for each file, and what all of them share.
    expect(statements.length).toBeLessThan(1_001 + 30);
    expect(
      await t.ctx
        .db('buckets')
        .where({ bucket: bucketOf(ada.actor.user_id) })
        .first('file_count'),
    ).toEqual({ file_count: 1_001 });
  });

  test('meets a change of somebody else: all of the run is rejected, and says why', async () => {
    await put('a', 'base');
    await write(run, 'a', 'mine');
    await write(run, 'b', 'mine');
    await put('a', 'theirs');
    expect(await closePatchesOfRun(run, 'commit')).toEqual({ committed: 0, rejected: 2 });
    expect([await own('a'), await paths()]).toEqual(['theirs', ['a']]);
    expect((await listPatches(run, { grant_token: token })).map(({ path, reason }) => [path, reason])).toEqual([
      ['a', 'changed_meanwhile'],
      ['b', 'rejected_together'],
    ]);
  });

  test.each(['created', 'deleted'])('meets a file that was %s meanwhile', async (how) => {
    if (how === 'deleted') await put('a', 'base');
    await write(run, 'a', 'mine');
    if (how === 'deleted') await removeFile(ada, { path: 'a' }, {});
    else await put('a', 'theirs');
    expect(await closePatchesOfRun(run, 'commit')).toEqual({ committed: 0, rejected: 1 });
  });

  test('that both made the same change is no conflict', async () => {
    await put('a', 'base');
    await write(run, 'a', 'same');
    await put('a', 'same');
    expect(await closePatchesOfRun(run, 'commit')).toEqual({ committed: 1, rejected: 0 });
  });

  test('under a grant that was revoked meanwhile is a rejection', async () => {
    await write(run, 'a', 'x');
    const [row] = await t.ctx.db('grants').where({ owner_id: ada.actor.user_id });
    await revokeGrant(ada, { grant_id: row?.grant_id ?? '' });
    expect(await closePatchesOfRun(run, 'commit')).toEqual({ committed: 0, rejected: 1 });
    expect(await paths()).toEqual([]);
  });

  test('that would overfill the account is a rejection of all', async () => {
    await put('base', 'x');
    await write(run, 'a', '12345');
    await write(run, 'b', '12345');
    await t.ctx
      .db('buckets')
      .where({ bucket: bucketOf(ada.actor.user_id) })
      .update({ size_bytes: MAX_BUCKET_BYTES - 9 });
    expect(await closePatchesOfRun(run, 'commit')).toEqual({ committed: 0, rejected: 2 });
    expect((await listPatches(run, { grant_token: token })).map(({ reason }) => reason)).toEqual(['quota_exceeded', 'quota_exceeded']);
  });
});

describe('a grant allows', () => {
  test('nothing outside its patterns, and says the same of what is there and what is not', async () => {
    token = await grant({ allow: ['docs/**'], deny: ['docs/**/secret*'] });
    for (const path of ['docs/a', 'docs/x/secret.txt', 'other']) await put(path, path);
    expect(await seen(run)).toEqual(['docs/a']);
    for (const path of ['other', 'no-such', 'docs/x/secret.txt', 'docs/secret-none', 'docs']) {
      await expect(read(run, path), path).rejects.toMatchObject({ code: 'path_not_granted' });
      await expect(write(run, path, 'x'), path).rejects.toMatchObject({ code: 'path_not_granted' });
      await expect(deleteGranted(run, { token, path }), path).rejects.toMatchObject({ code: 'path_not_granted' });
    }
  });

  test('writes under its outputs prefix only, and none at all when it is read-only', async () => {
    token = await grant({ outputsPrefix: 'out' });
    await expect(write(run, 'a', 'x')).rejects.toMatchObject({ code: 'path_not_granted' });
    await write(run, 'out/a', 'x');
    token = await grant({ mode: 'read_only' });
    await expect(write(run, 'out/a', 'x')).rejects.toMatchObject({ code: 'grant_read_only' });
    await expect(deleteGranted(run, { token, path: 'out/a' })).rejects.toMatchObject({ code: 'grant_read_only' });
  });

  test("never another user's files", async () => {
    const ben = await t.user('ben');
    await put('a', 'x');
    await expect(read(ben, 'a')).rejects.toMatchObject({ code: 'grant_invalid' });
    const stranger = await addRun(t.ctx, ben.actor.user_id, ben.actor.user_id);
    await expect(read(stranger.ctx, 'a')).rejects.toMatchObject({ code: 'grant_invalid' });
    await expect(write(stranger.ctx, 'a', 'x')).rejects.toMatchObject({ code: 'grant_invalid' });
  });

  test("as much as the agent's card says its workspace may come to", async () => {
    const card = JSON.stringify({ workspace_access: { enabled: true, max_total_size_bytes: 10 } });
    await t.ctx.db('deployments').where({ deploy_id: run.actor.deploy_id }).update({ card });
    await write(run, 'a', '12345');
    await write(run, 'a', '1234567890');
    await expect(write(run, 'b', '1')).rejects.toMatchObject({ code: 'staged_too_large' });
    expect(await seen(run)).toEqual(['a+']);
  });
});

test('without a run a change is made at once, and leaves its patch', async () => {
  expect(await write(ada, 'a', 'now')).toMatchObject({ state: 'committed', path: 'a' });
  expect(await own('a')).toBe('now');
  await expect(write(ada, 'a', 'x', { conditions: { 'if-none-match': '*' } })).rejects.toMatchObject({ code: 'file_exists' });
  expect(await deleteGranted(ada, { token, path: 'a' })).toMatchObject({ state: 'committed', operation: 'delete' });
  expect(await paths()).toEqual([]);
});

test('what was changed can be looked up for a month; the files stay', async () => {
  await write(ada, 'old', 'x');
  await write(ada, 'young', 'x');
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
  await t.ctx
    .db('patches')
    .where({ path: 'old' })
    .update({ settled_at: ago(31) });
  await t.ctx
    .db('patches')
    .where({ path: 'young' })
    .update({ settled_at: ago(29) });
  expect(await expire(t.ctx.db, Date.now())).toMatchObject({ patches: 1 });
  expect(await paths()).toEqual(['old', 'young']);
});

test('conditions are about what the reader sees', async () => {
  const { etag } = await put('a', 'base');
  await write(run, 'a', 'one', { conditions: { 'if-match': etag } });
  await expect(write(run, 'a', 'two', { conditions: { 'if-match': etag } })).rejects.toMatchObject({ code: 'changed_meanwhile' });
  await expect(deleteGranted(run, { token, path: 'a', conditions: { 'if-match': etag } })).rejects.toMatchObject({ code: 'changed_meanwhile' });
});

test('a list goes through many files that the grant does not show', async () => {
  const bucket = bucketOf(ada.actor.user_id);
  await put('seed', 'x');
  const [seed] = await t.ctx.db('files').where({ bucket });
  if (!seed) throw new Error('no seed');
  const rows = Array.from({ length: 2_500 }, (_, n) => ({ ...seed, path: `n/${String(n).padStart(4, '0')}${n % 100 === 0 ? '.show' : ''}` }));
  await t.ctx.db.batchInsert('files', rows, 500);
  token = await grant({ allow: ['n/*.show'] });
  await write(run, 'n/0001.show', 'staged between');
  const found: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await listGranted(run, { token, limit: 7, cursor });
    found.push(...page.items.map(({ path }) => path));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  expect(found).toHaveLength(26);
  expect(found).toEqual(found.toSorted());
  expect((await listGranted(run, { token, limit: 100, prefix: 'n/24' })).items).toHaveLength(1);
});
