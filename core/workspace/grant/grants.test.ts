import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Grant } from '#contract/wire/grant.ts';
import { checkGrant, signGrant } from '#contract/crypto/grant-token.ts';
import { MAX_GRANT_TOKEN_LENGTH } from '#contract/wire/grant.ts';
import { grantAllows } from '#contract/wire/containment.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { inTx } from '../../kernel/tx.ts';
import { bucketOf } from './bucket.ts';
import { delegateGrant, type Delegation } from './delegate.ts';
import { extendGrant, type Extension } from './extend.ts';
import { getGrant } from './get.ts';
import { audienceKey } from './keys.ts';
import { listGrants } from './list.ts';
import { type Mint, mintGrant } from './mint.ts';
import { revokeGrant, revokeGrantsOfRun } from './revoke.ts';
import { addRun, runOf, type TestRun } from './test/runs.ts';
import { verifyGrant } from './verify.ts';
import { cites } from '#test/spec/verifies.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
/** Ada's agents, running for her. */
let one: TestRun;
let two: TestRun;
beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  ben = await t.user('ben');
  one = await addRun(t.ctx, ada.actor.user_id, ada.actor.user_id);
  two = await addRun(t.ctx, ada.actor.user_id, ada.actor.user_id);
});
afterAll(() => t.close());

const refused = { code: 'grant_invalid', message: 'the grant is not valid here' };
const mint = (to: TestRun, more: Partial<Mint> = {}, by: TestUser = ada) =>
  inTx(by, (ctx) =>
    mintGrant(ctx, {
      userId: by.actor.user_id,
      audience: to.agent.name,
      allow: ['**'],
      deny: [],
      mode: 'read_only',
      outputsPrefix: null,
      ttlSeconds: 300,
      ...more,
    }),
  );
const handOn = (from: Ctx, to: TestRun, parentToken: string | null, more: Partial<Delegation> = {}) =>
  delegateGrant(from, {
    parentToken,
    audience: to.agent.name,
    allow_patterns: ['**'],
    deny_patterns: [],
    mode: 'read_only',
    outputs_prefix: null,
    ttl_seconds: 300,
    ...more,
  });
const extend = (parent: Extension['parent'], more: Partial<Extension> = {}) =>
  inTx(ada, (ctx) =>
    extendGrant(ctx, {
      parent,
      userId: ada.actor.user_id,
      audience: one.agent.name,
      read: [],
      writePrefix: null,
      mode: 'read_only',
      ttlSeconds: 60,
      runId: null,
      ...more,
    }),
  );
const at = (ctx: Ctx, later: number): Ctx => ({ ...ctx, clock: () => Date.now() + later * 1000 });
const auditOf = (target: string) => t.ctx.db('audit_log').where({ target_id: target }).orderBy('audit_id').pluck('action');

describe('a grant token is believed', () => {
  test('by the platform for the agent it is addressed to, and for whose files it is about', async () => {
    const { grant, token, row } = await mint(one);
    expect(grant).toMatchObject({
      issuer: ada.actor.user_id,
      audience: one.agent.name,
      bucket: bucketOf(ada.actor.user_id),
      mode: 'read_only',
      outputs_prefix: null,
    });
    expect(grant.expires_at - grant.issued_at).toBe(300);
    expect((await verifyGrant(one.ctx, token)).grant).toEqual(grant);
    expect((await verifyGrant(ada, token)).row.grant_id).toBe(row.grant_id);
    // The agent's own runtime checks it with the one key it has.
    expect(checkGrant(token, await audienceKey(t.ctx, one.agent.name), { audience: one.agent.name, now: Date.now() / 1000 }).ok).toBe(true);
    expect(await auditOf(row.grant_id)).toEqual(['grant.mint']);
  });

  test('not by others: another agent, another user, other kinds of callers, another audience: 403 and nothing more', cites('grants.audience'), async () => {
    const { token } = await mint(one);
    for (const who of [two.ctx, ben, { ...t.ctx, actor: { kind: 'anonymous' } } satisfies Ctx, t.ctx])
      await expect(verifyGrant(who, token)).rejects.toMatchObject(refused);
    await expect(verifyGrant(one.ctx, token, { audience: two.agent.name })).rejects.toMatchObject(refused);
    expect((await verifyGrant(t.ctx, token, { audience: one.agent.name })).grant.audience).toBe(one.agent.name);
  });

  test('only as the platform recorded it: an agent cannot sign for itself with the key it holds', async () => {
    const { grant, row } = await mint(one, { allow: ['docs/**'], deny: ['docs/x'] });
    const key = await audienceKey(t.ctx, one.agent.name);
    const forged: Partial<Grant>[] = [
      { allow_patterns: ['**'] },
      { deny_patterns: [] },
      { mode: 'read_write_overlay' },
      { outputs_prefix: 'docs' },
      { expires_at: grant.expires_at + 1 },
      { issued_at: grant.issued_at - 1 },
      { bucket: bucketOf(ben.actor.user_id) },
      { issuer: ben.actor.user_id },
      { nonce: 'another-nonce' },
      { grant_id: newId('grt') },
      { grant_id: "grt_' or true --" },
    ];
    for (const change of forged)
      await expect(verifyGrant(one.ctx, signGrant({ ...grant, ...change }, key)), JSON.stringify(change)).rejects.toMatchObject(refused);
    // What it says was true, until the record changed.
    await t.ctx.db('grants').where({ grant_id: row.grant_id }).update({ mode: 'read_write_overlay' });
    await expect(verifyGrant(one.ctx, signGrant(grant, key))).rejects.toMatchObject(refused);
  });

  test('until it expires, and with one message whatever is wrong with it', async () => {
    const { token } = await mint(one, { ttlSeconds: 10 });
    await expect(verifyGrant(at(one.ctx, 11), token)).rejects.toMatchObject({ ...refused, cause: 'expired' });
    for (const junk of ['', '.', 'a.b', token.slice(0, -1), `${token}x`, token.toUpperCase(), 'x'.repeat(100_000)])
      await expect(verifyGrant(one.ctx, junk)).rejects.toMatchObject(refused);
    for (const junk of ['', '.', 'e30.e30', `${Buffer.from('{"audience":"\\ud800"}').toString('base64url')}.x`])
      await expect(verifyGrant(ada, junk)).rejects.toMatchObject(refused);
  });

  test('until it is revoked, with all that came from it', async () => {
    const root = await mint(one);
    const child = await handOn(one.ctx, two, root.token);
    expect((await verifyGrant(two.ctx, child.token)).grant).toEqual(child.grant);
    await expect(revokeGrant(ben, { grant_id: root.row.grant_id })).rejects.toMatchObject({ code: 'grant_not_found' });
    await revokeGrant(ada, { grant_id: root.row.grant_id, reason: 'changed my mind' });
    await revokeGrant(ada, { grant_id: root.row.grant_id });
    await expect(verifyGrant(one.ctx, root.token)).rejects.toMatchObject(refused);
    await expect(verifyGrant(two.ctx, child.token)).rejects.toMatchObject({ ...refused, cause: 'revoked' });
    expect(await auditOf(root.row.grant_id)).toEqual(['grant.mint', 'grant.revoke']);
  });
});

describe('delegation', () => {
  test('a user gives of their own files, to agents they can see', async () => {
    const { grant } = await handOn(ada, one, null, { allow_patterns: ['docs/**'], mode: 'read_write_overlay', outputs_prefix: 'docs/out/', ttl_seconds: 60 });
    expect(grant).toMatchObject({ bucket: bucketOf(ada.actor.user_id), allow_patterns: ['docs/**'], outputs_prefix: 'docs/out' });
    await expect(handOn(ben, one, null)).rejects.toMatchObject({ code: 'agent_not_found' });
    await expect(
      delegateGrant(ada, { audience: 'nobody-at-all', allow_patterns: ['**'], deny_patterns: [], mode: 'read_only', outputs_prefix: null, ttl_seconds: 60 }),
    ).rejects.toMatchObject({ code: 'agent_not_found' });
    const publicAgent = await addRun(t.ctx, ada.actor.user_id, null, 'public');
    expect((await handOn(ben, publicAgent, null)).grant.bucket).toBe(bucketOf(ben.actor.user_id));
  });

  test('a run hands on what it holds: contained, chained and recorded', cites('workspace.delegate'), async () => {
    const root = await mint(one, { allow: ['docs/**'], deny: ['**/secret*'], mode: 'read_write_overlay', outputsPrefix: 'docs/out' });
    const { grant, row } = await handOn(one.ctx, two, root.token, { deny_patterns: ['docs/b'], ttl_seconds: 100_000 });
    expect(grant).toMatchObject({
      issuer: one.agent.name,
      audience: two.agent.name,
      mode: 'read_only',
      allow_patterns: ['docs/**'],
      deny_patterns: ['**/secret*', 'docs/b'],
      outputs_prefix: 'docs/out',
      expires_at: root.grant.expires_at,
    });
    expect(row).toMatchObject({ kind: 'delegate', parent_grant_id: root.row.grant_id, depth: 1, owner_id: ada.actor.user_id, run_id: one.ctx.actor.run_id });
    expect(await auditOf(row.grant_id)).toEqual(['grant.delegate']);
  });

  test.each<[string, Partial<Delegation>]>([
    ['wider_patterns', { allow_patterns: ['docs/**', 'other/x'] }],
    ['wider_patterns', { allow_patterns: ['*'] }],
    ['wider_outputs_prefix', { outputs_prefix: 'docs' }],
  ])('never more than it holds: %s', async (fault, more) => {
    const root = await mint(one, { allow: ['docs/**'], mode: 'read_write_overlay', outputsPrefix: 'docs/out' });
    await expect(handOn(one.ctx, two, root.token, more)).rejects.toMatchObject({ code: 'grant_not_contained', details: { fault } });
  });

  test("not what it only reads, not without a grant, not with another one's, not eight times over", async () => {
    const root = await mint(one);
    await expect(handOn(one.ctx, two, root.token, { mode: 'read_write_overlay' })).rejects.toMatchObject({ details: { fault: 'wider_mode' } });
    await expect(handOn(one.ctx, two, null)).rejects.toMatchObject({ code: 'grant_required' });
    await expect(handOn(two.ctx, one, root.token)).rejects.toMatchObject(refused);
    await expect(handOn(ada, one, root.token)).rejects.toMatchObject({ code: 'grant_not_yours_to_delegate' });
    let held = root.token;
    for (let depth = 1; depth <= 8; depth += 1) {
      const [from, to] = depth % 2 === 1 ? [one, two] : [two, one];
      held = (await handOn(from.ctx, to, held)).token;
    }
    expect((await verifyGrant(one.ctx, held)).row.depth).toBe(8);
    await expect(handOn(one.ctx, two, held)).rejects.toMatchObject({ details: { fault: 'too_deep' } });
  });

  test('what no token can hold is refused, saying so', async () => {
    const many = Array.from({ length: 64 }, (_, n) => `${'x'.repeat(240)}/${n}`);
    await expect(handOn(ada, one, null, { allow_patterns: many })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(String(MAX_GRANT_TOKEN_LENGTH)),
    });
    const root = await mint(one, { deny: Array.from({ length: 60 }, (_, n) => `d${n}`) });
    await expect(handOn(one.ctx, two, root.token, { deny_patterns: Array.from({ length: 5 }, (_, n) => `e${n}`) })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await expect(handOn(ada, one, null, { outputs_prefix: '../x' })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('ends with the run that gave it', async () => {
    const root = await mint(one);
    const run = await runOf(t.ctx, one.agent, ada.actor.user_id, ada.actor.user_id);
    const child = await handOn(run, two, root.token);
    const ended = await inTx(t.ctx, (ctx) => revokeGrantsOfRun(ctx, run.actor.run_id, 'the run ended'));
    expect(ended).toEqual([child.row.grant_id]);
    await expect(verifyGrant(two.ctx, child.token)).rejects.toMatchObject(refused);
    expect((await verifyGrant(one.ctx, root.token)).grant.grant_id).toBe(root.row.grant_id);
    await t.ctx.db('runs').where({ run_id: run.actor.run_id }).update({ state: 'succeeded', ended_at: new Date() });
    await expect(handOn(run, two, root.token)).rejects.toMatchObject({ code: 'run_ended' });
  });
});

describe('an approved scope request', () => {
  test('supersedes the grant: more patterns, a life of its own, chained and recorded', async () => {
    const root = await mint(one, { allow: ['docs/**'], deny: ['**/.env*'], ttlSeconds: 10 });
    const wider = await extend(root.row, { read: ['notes/*.md'], deny: ['**/*.pem'], reason: 'needs the notes' });
    expect(wider.grant).toMatchObject({
      issuer: ada.actor.user_id,
      allow_patterns: ['docs/**', 'notes/*.md'],
      deny_patterns: ['**/.env*', '**/*.pem'],
      mode: 'read_only',
    });
    expect(wider.row).toMatchObject({ kind: 'extend', parent_grant_id: root.row.grant_id, depth: 0, reason: 'needs the notes' });
    expect((await t.ctx.db('grants').where({ grant_id: root.row.grant_id }).first())?.superseded_by).toBe(wider.row.grant_id);
    expect(await auditOf(wider.row.grant_id)).toEqual(['grant.extend']);
    // It outlives what it came from, and what is handed on from it does so with it.
    expect((await verifyGrant(at(one.ctx, 30), wider.token)).grant).toEqual(wider.grant);
    const child = await handOn(at(one.ctx, 30), two, wider.token);
    expect((await verifyGrant(at(two.ctx, 40), child.token)).grant.expires_at).toBe(wider.grant.expires_at);
    await revokeGrant(ada, { grant_id: root.row.grant_id });
    await expect(verifyGrant(two.ctx, child.token)).rejects.toMatchObject(refused);
  });

  test('is for the run that asked: not for another run of the same agent, which may work for somebody else', async () => {
    const [mine, other] = [
      await runOf(t.ctx, one.agent, ada.actor.user_id, ada.actor.user_id),
      await runOf(t.ctx, one.agent, ada.actor.user_id, ben.actor.user_id),
    ];
    await inTx(mine, ensureRun);
    const given = await extend((await mint(one)).row, { read: ['x'], runId: mine.actor.run_id });
    expect((await verifyGrant(mine, given.token)).grant).toEqual(given.grant);
    await expect(verifyGrant(other, given.token)).rejects.toMatchObject({ ...refused, cause: 'another_run' });
    // Its agent hands it on to another one, whose run is its own.
    expect((await verifyGrant(two.ctx, (await handOn(mine, two, given.token)).token)).row.run_id).toBe(mine.actor.run_id);
  });

  test('may be the first grant an agent gets', async () => {
    const first = await extend(null, { read: ['a'], writePrefix: 'out' });
    expect(first.row).toMatchObject({
      kind: 'mint',
      parent_grant_id: null,
      mode: 'read_write_overlay',
      allow_patterns: ['a', 'out/**'],
      outputs_prefix: 'out',
    });
    expect([grantAllows(first.grant, 'out/x', 'write'), grantAllows(first.grant, 'a', 'write'), grantAllows(first.grant, 'a', 'read')]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test('made twice for one approval is one grant and one token', async () => {
    const root = await mint(one);
    const wait_id = newId('wait');
    await t.ctx.db('waits').insert({ wait_id, kind: 'scope_request', asked_of: ada.actor.user_id, prompt: 'x', expires_at: new Date(Date.now() + 60_000) });
    const [first, again] = [await extend(root.row, { read: ['x'], waitId: wait_id }), await extend(root.row, { read: ['x'], waitId: wait_id })];
    expect(again).toMatchObject({ token: first.token, grant: first.grant });
    expect(await auditOf(first.row.grant_id)).toEqual(['grant.extend']);
  });

  test("never widens another agent's grant, nor one about other files", async () => {
    const root = await mint(one);
    await expect(extend(root.row, { audience: two.agent.name })).rejects.toMatchObject({ code: 'wrong_grant' });
    await expect(extend(root.row, { userId: ben.actor.user_id })).rejects.toMatchObject({ code: 'wrong_grant' });
  });

  test('a chain of extensions has an end, and every link of it is valid', async () => {
    let held = await mint(one);
    const grow = async () => {
      for (let n = 0; n < 100; n += 1) held = await extend(held.row, { read: [`f${n % 20}`] });
    };
    await expect(grow()).rejects.toMatchObject({ code: 'too_many_extensions' });
    expect((await verifyGrant(one.ctx, held.token)).grant.allow_patterns.length).toBe(21);
  });
});

describe('what a grant denies', () => {
  test('stays denied: a request for it is refused instead of approved in vain', async () => {
    const root = await mint(one, { deny: ['**/.env*'] });
    await expect(extend(root.row, { read: ['notes/a', 'config/.env.local'] })).rejects.toMatchObject({ code: 'grant_denies' });
    expect((await extend(root.row, { read: ['config/**'] })).grant.deny_patterns).toEqual(['**/.env*']);
  });
});

describe('rows', () => {
  test('newest first, page by page, each once; a grant with all that came from it in the order of the tree', cites('audit.grants'), async () => {
    // Ids sort by the millisecond they were made in.
    let now = Date.now();
    const ticking = { clock: () => (now += 1) };
    const cleo: TestUser = { ...(await t.user('cleo')), ...ticking };
    const ticks = { ...t.ctx, ...ticking };
    const [a, b] = [await addRun(ticks, cleo.actor.user_id, cleo.actor.user_id), await addRun(ticks, cleo.actor.user_id, cleo.actor.user_id)];
    const root = await mint(a, { allow: ['docs/**'] }, cleo);
    const first = await handOn(a.ctx, b, root.token);
    const wider = await inTx(cleo, (ctx) =>
      extendGrant(ctx, {
        parent: root.row,
        userId: cleo.actor.user_id,
        audience: a.agent.name,
        read: ['x'],
        writePrefix: null,
        mode: 'read_only',
        ttlSeconds: 60,
        runId: null,
      }),
    );
    const second = await handOn(a.ctx, b, wider.token);
    const third = await handOn(b.ctx, a, first.token);
    const ids = [root, first, wider, second, third].map(({ row }) => row.grant_id);

    const pages: string[][] = [];
    for (let cursor: string | undefined, more = true; more;) {
      const page = await listGrants(cleo, { limit: 2, cursor });
      pages.push(page.items.map(({ grant_id }) => grant_id));
      cursor = page.next_cursor ?? undefined;
      more = cursor !== undefined;
    }
    expect(pages).toEqual([[ids[4], ids[3]], [ids[2], ids[1]], [ids[0]]]);

    const tree = await getGrant(cleo, { grant_id: root.row.grant_id });
    expect(tree).toMatchObject({ kind: 'mint', state: 'active', superseded_by: wider.row.grant_id, truncated: false });
    expect(tree.extensions.map(({ grant_id, level, depth, kind }) => [grant_id, level, depth, kind])).toEqual([
      [ids[1], 1, 1, 'delegate'],
      [ids[4], 2, 2, 'delegate'],
      [ids[2], 1, 0, 'extend'],
      [ids[3], 2, 1, 'delegate'],
    ]);
    expect(JSON.stringify(tree)).not.toContain(root.token.split('.')[1]);
    await expect(getGrant(ben, { grant_id: root.row.grant_id })).rejects.toMatchObject({ code: 'grant_not_found' });
    await expect(getGrant(cleo, { grant_id: newId('grt') })).rejects.toMatchObject({ code: 'grant_not_found' });
    expect((await listGrants(await t.user('dan'), { limit: 5 })).items).toEqual([]);
  });

  test('secrets of another installation sign nothing here', async () => {
    const { grant } = await mint(one);
    await expect(verifyGrant(one.ctx, signGrant(grant, randomBytes(32)))).rejects.toMatchObject(refused);
  });
});
