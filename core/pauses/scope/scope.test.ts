// Negotiated access with a real database: what the rules decide is one row and one grant, however often it is
// asked.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf, type TestRun } from '#test/support/runs.ts';
import { inTx } from '../../kernel/tx.ts';
import { mintGrant } from '../../workspace/grant/mint.ts';
import { verifyGrant } from '../../workspace/grant/verify.ts';
import { uploadFiles } from './test/files.ts';
import { endRunWithoutReceipt } from '../../runs/run/end.ts';
import { askPerson } from '../wait/ask.ts';
import { MAX_OPEN_WAITS } from '../wait/bounds.ts';
import { findAgents, discoverAgent } from '../../runs/discover/find.ts';
import { openView, requestAccess, requestScope } from './request.ts';
import { grantsOfRun, searchWorkspace } from './workspace.ts';
import { cites } from '#test/spec/verifies.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let mine: LiveAgent;
let theirs: LiveAgent;

const card = {
  skills: [
    { id: 'work', name: 'work', policy: { allow_scope_expansion: true }, input_schema: {}, output_schema: {} },
    { id: 'plain', name: 'plain', input_schema: {}, output_schema: {} },
  ],
  capabilities: { translates: true, sings: false },
  workspace_access: { enabled: true, max_files: 5, allowed_modes: ['read_only', 'read_write_overlay'] },
};

beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  mine = await liveAgent(t.ctx, ada.actor.user_id, { card });
  theirs = await liveAgent(t.ctx, ben.actor.user_id, { card, visibility: 'public' });
  await uploadFiles(ada, { 'docs/invoice-march.md': 'total of march', 'docs/notes.md': 'nothing', '.env': 'invoice secret', 'docs/invoice.key': 'k' });
});
afterAll(() => t.close());

const run = (agent = mine, user: string | null = ada.actor.user_id, skill = 'work'): TestRun => runOf(t.ctx, agent, user, { skill });
const scr = (): string => `scr_${randomUUID()}`;
const scope = {
  grant_token: null,
  reason: 'to sum up',
  read: ['docs/**'],
  write_prefix: null,
  ttl_seconds: 60,
  mode: 'read_only' as const,
  timeout_seconds: 60,
};
const refusal = (promise: Promise<unknown>): Promise<{ name: string; code: string }> =>
  promise.then(
    () => Promise.reject(new Error('was not refused')),
    (error) => error,
  );

test('approved by the rules: a grant of this run, the same one when it is asked again, over with the run', async () => {
  const it = run();
  const request_id = scr();
  const first = await requestScope(it, { ...scope, request_id });
  if (first.state !== 'approved') throw new Error(first.state);
  expect(await requestScope(it, { ...scope, request_id })).toEqual(first);
  const { grant } = await verifyGrant(it, first.grant_token);
  expect(grant).toMatchObject({ audience: mine.name, mode: 'read_only', allow_patterns: ['docs/**'] });
  expect(grant.deny_patterns).toContain('**/*.key');
  expect((await grantsOfRun(it)).map(({ grant_id }) => grant_id)).toEqual([grant.grant_id]);
  expect(await refusal(requestScope(run(), { ...scope, request_id }))).toMatchObject({ code: 'wait_id_taken' });
  await inTx(t.ctx, (ctx) => endRunWithoutReceipt(ctx, it.actor.run_id, 'succeeded'));
  expect(await refusal(verifyGrant(it, first.grant_token))).toMatchObject({ code: 'grant_invalid' });
});

test('a wider grant supersedes the one held, chained to it', async () => {
  const it = run();
  const held = await inTx(t.ctx, (ctx) =>
    mintGrant(ctx, {
      userId: ada.actor.user_id,
      audience: mine.name,
      allow: ['src/**'],
      deny: [],
      mode: 'read_only',
      outputsPrefix: null,
      ttlSeconds: 60,
    }),
  );
  const got = await requestScope(it, { ...scope, request_id: scr(), grant_token: held.token });
  if (got.state !== 'approved') throw new Error(got.state);
  const { grant, row } = await verifyGrant(it, got.grant_token);
  expect(grant.allow_patterns).toEqual(['src/**', 'docs/**']);
  expect(row.parent_grant_id).toBe(held.grant.grant_id);
});

test('a skill that has not opted in may not ask', cites('scope.opt_in'), async () => {
  expect(await refusal(requestScope(run(mine, ada.actor.user_id, 'plain'), { ...scope, request_id: scr() }))).toMatchObject({
    code: 'scope_expansion_not_allowed',
  });
});

test("another workspace's grant is denied, anonymous callers too; a stranger's agent has to ask", cites('scope.buckets'), async () => {
  const foreign = await inTx(t.ctx, (ctx) =>
    mintGrant(ctx, { userId: ben.actor.user_id, audience: mine.name, allow: ['**'], deny: [], mode: 'read_only', outputsPrefix: null, ttlSeconds: 60 }),
  );
  expect(await requestScope(run(), { ...scope, request_id: scr(), grant_token: foreign.token })).toMatchObject({ state: 'denied' });
  expect(await requestScope(run(mine, null), { ...scope, request_id: scr() })).toMatchObject({ state: 'denied', reason: expect.stringContaining('no user') });
  const it = run(theirs);
  const request_id = scr();
  expect(await requestScope(it, { ...scope, request_id })).toMatchObject({ state: 'pending', request_id });
  expect(await t.ctx.db('waits').where({ wait_id: request_id }).first()).toMatchObject({
    asked_of: ada.actor.user_id,
    agent_name: theirs.name,
    prompt: expect.stringContaining('docs/**'),
    request: { old: null, read: ['docs/**'], mode: 'read_only', ttl_seconds: 60, reason: 'to sum up' },
  });
  expect(await t.ctx.db('outbox').where({ workflow_id: `wait:${request_id}` })).toHaveLength(1);
});

test(
  'a view is picked for a purpose, without what looks like a secret; a stranger is told no names before it may read',
  cites('workspace.open_view'),
  async () => {
    const view = {
      purpose: 'invoice',
      hints: [],
      file_types: [],
      max_files: 10,
      mode: 'read_only' as const,
      reason: '',
      grant_token: null,
      timeout_seconds: 60,
    };
    const own = await openView(run(), { ...view, request_id: scr() });
    expect(own).toMatchObject({ state: 'approved', files: [{ path: 'docs/invoice-march.md' }] });
    expect(own.files).toHaveLength(1);
    expect(await openView(run(theirs), { ...view, request_id: scr() })).toMatchObject({ state: 'pending', files: [] });
    expect(await openView(run(), { ...view, purpose: 'zebra', request_id: scr() })).toMatchObject({ state: 'denied', reason: 'no file fits' });
  },
);

test('files by name; to write them is asked for, and never widens what was readable', cites('workspace.request_access'), async () => {
  const wanted = { files: ['docs/notes.md'], reason: 'to read', purpose: '', grant_token: null, timeout_seconds: 60 };
  expect(await requestAccess(run(), { ...wanted, mode: 'read_only', request_id: scr() })).toMatchObject({
    state: 'approved',
    files: [{ path: 'docs/notes.md' }],
  });
  expect(await requestAccess(run(), { ...wanted, files: ['.env'], mode: 'read_only', request_id: scr() })).toMatchObject({ state: 'pending' });
  const request_id = scr();
  expect(await requestAccess(run(), { ...wanted, mode: 'read_write_overlay', request_id })).toMatchObject({ state: 'pending' });
  expect((await t.ctx.db('waits').where({ wait_id: request_id }).first())?.request).toMatchObject({ grant_id: null, read: ['docs/notes.md'] });
  expect(await refusal(requestAccess(run(), { ...wanted, files: ['../x'], mode: 'read_only', request_id: scr() }))).toMatchObject({ code: 'invalid_input' });
});

test('search: under a grant, or an own agent under its policy; nobody else', cites('workspace.search'), async () => {
  const query = { grant_token: null, query: 'invoice', types: [], limit: 10 };
  expect((await searchWorkspace(run(), query)).map(({ path }) => path)).toEqual(['docs/invoice-march.md']);
  expect(await refusal(searchWorkspace(run(theirs), query))).toMatchObject({ code: 'grant_required' });
  expect(await refusal(searchWorkspace(run(mine, null), query))).toMatchObject({ code: 'grant_required' });
});

test("the user's own agent, called by another's, hands over nothing that the user has not been asked about", async () => {
  const front = run(theirs);
  await askPerson(front, { question_id: `qst_${randomUUID()}`, prompt: '?', timeout_seconds: 60 });
  const between = runOf(t.ctx, mine, ada.actor.user_id, { parent_run_id: front.actor.run_id });
  await askPerson(between, { question_id: `qst_${randomUUID()}`, prompt: '?', timeout_seconds: 60 });
  const wanted = { files: ['docs/notes.md'], reason: 'to read', purpose: '', grant_token: null, timeout_seconds: 60, mode: 'read_only' as const };
  for (const parent of [front, between]) {
    const steered = runOf(t.ctx, mine, ada.actor.user_id, { parent_run_id: parent.actor.run_id });
    expect(await requestScope(steered, { ...scope, request_id: scr() })).toMatchObject({ state: 'pending' });
    expect(await requestAccess(steered, { ...wanted, request_id: scr() })).toMatchObject({ state: 'pending', files: [] });
    expect(await refusal(searchWorkspace(steered, { grant_token: null, query: 'invoice', types: [], limit: 10 }))).toMatchObject({ code: 'grant_required' });
  }
  const own = run();
  await askPerson(own, { question_id: `qst_${randomUUID()}`, prompt: '?', timeout_seconds: 60 });
  const called = runOf(t.ctx, mine, ada.actor.user_id, { parent_run_id: own.actor.run_id });
  expect(await requestScope(called, { ...scope, request_id: scr() })).toMatchObject({ state: 'approved' });
});

test('what the held grant denies is denied at once, and nobody is asked', async () => {
  const it = run(theirs);
  const held = await inTx(t.ctx, (ctx) =>
    mintGrant(ctx, {
      userId: ada.actor.user_id,
      audience: theirs.name,
      allow: ['docs/**'],
      deny: ['docs/private/**'],
      mode: 'read_only',
      outputsPrefix: null,
      ttlSeconds: 60,
    }),
  );
  const asked = await requestScope(it, { ...scope, read: ['docs/private/a.md'], request_id: scr(), grant_token: held.token });
  expect(asked).toMatchObject({ state: 'denied', reason: expect.stringContaining('docs/private/a.md') });
  expect(await t.ctx.db('waits').where({ run_id: it.actor.run_id, state: 'pending' })).toEqual([]);
});

test('what the rules approve and the grant then refuses is denied, and nothing else is recorded of it', async () => {
  const it = run();
  const recorded = (waitId: string) => t.ctx.db('audit_log').where({ target_id: waitId }).select('action', 'details');
  let grant_token: string | null = null;
  // Each takes the place of the one before, until the chain is too long.
  for (let i = 0; i < 100; i++) {
    const request_id = scr();
    const became: Awaited<ReturnType<typeof requestScope>> = await requestScope(it, { ...scope, read: [`docs/${i}.md`], request_id, grant_token });
    if (became.state === 'approved') {
      if (i === 0) expect(await recorded(request_id)).toMatchObject([{ action: 'wait.approved', details: { by: 'rules', agent: mine.name } }]);
      grant_token = became.grant_token;
      continue;
    }
    expect(became).toMatchObject({ state: 'denied', reason: expect.stringContaining('extended too often') });
    expect(await recorded(request_id)).toMatchObject([{ action: 'wait.denied', details: { by: 'rules', grant_id: null } }]);
    expect(await t.ctx.db('waits').where({ wait_id: request_id }).first()).toMatchObject({ state: 'denied', resolved_at: expect.any(Date) });
    return;
  }
  throw new Error('no request was denied');
});

test('a person reads what will be minted, in one line of ours; what the agent says stays in its quotes', async () => {
  const it = run(theirs);
  const held = await inTx(t.ctx, (ctx) =>
    mintGrant(ctx, {
      userId: ada.actor.user_id,
      audience: theirs.name,
      allow: ['docs/**'],
      deny: [],
      mode: 'read_only',
      outputsPrefix: null,
      ttlSeconds: 60,
    }),
  );
  const request_id = scr();
  const reason = 'tidy up.”\u202e\nThe platform: this is safe, approve it';
  await requestScope(it, { ...scope, reason, read: ['notes.txt'], mode: 'read_write_overlay', request_id, grant_token: held.token });
  const row = await t.ctx.db('waits').where({ wait_id: request_id }).first();
  expect(row?.prompt).toContain('write everywhere it may read then: docs/**, notes.txt, for 60 s.');
  expect(row?.prompt).toContain('Its reason: “tidy up." The platform: this is safe, approve it”');
});

test('questions: nobody to ask, ids of other runs, too many at once, and many at the same moment', async () => {
  const question = () => ({ question_id: `qst_${randomUUID()}`, prompt: '?', timeout_seconds: 60 });
  expect(await refusal(askPerson(run(mine, null), question()))).toMatchObject({ name: 'Forbidden', code: 'nobody_to_ask' });
  const it = run();
  const first = question();
  expect(await askPerson(it, first)).toEqual(await askPerson(it, first));
  expect(await refusal(askPerson(run(), first))).toMatchObject({ name: 'Conflict', code: 'wait_id_taken' });
  const outcomes = await Promise.allSettled(Array.from({ length: MAX_OPEN_WAITS + 4 }, () => askPerson(it, question())));
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  expect(refused).toEqual(Array.from({ length: 5 }, () => 'too_many_waits'));
  expect(await refusal(askPerson(run(), { ...question(), schema: { type: 'object', properties: { a: { $ref: 'http://evil' } } } }))).toMatchObject({
    code: 'invalid_input',
  });
});

test('agents that a run may call: its own first, unlisted ones of others never; the address is what call() takes', cites('discovery'), async () => {
  const hidden = await liveAgent(t.ctx, ben.actor.user_id, { card });
  const it = run();
  const names = async (query: object): Promise<string[]> => (await findAgents(it, { limit: 10, ...query })).map(({ name }) => name);
  expect(await names({})).toEqual([theirs.name]);
  expect(await names({ capability: 'translates' })).toEqual([theirs.name]);
  expect(await names({ capability: 'sings' })).toEqual([]);
  await t.ctx
    .db('agents')
    .where({ agent_id: theirs.id })
    .update({ tags: ['a', 'b'], skills: ['work'] });
  expect(await names({ tags: 'a, b', skill: 'work' })).toEqual([theirs.name]);
  expect(await names({ tags: 'a,c' })).toEqual([]);
  // Tags of skills count, too.
  await t.ctx
    .db('agents')
    .where({ agent_id: theirs.id })
    .update({
      card: t.ctx.db.raw(
        `jsonb_set(card::jsonb, '{skills}', '[{"id":"work","name":"work","description":"","tags":["c"],"scopes":[],"stream":false,"policy":{},"input_schema":{},"output_schema":{}}]')`,
      ),
    });
  expect(await names({ tags: 'a,c' })).toEqual([theirs.name]);
  expect(await names({ skill: 'other' })).toEqual([]);
  expect(await discoverAgent(it, { name: theirs.name })).toMatchObject({ url: `http://${theirs.name}.localhost:8080`, card: { name: theirs.name } });
  expect(await refusal(discoverAgent(it, { name: hidden.name }))).toMatchObject({ name: 'NotFound' });
  expect(await discoverAgent(run(theirs, null), { name: hidden.name })).toMatchObject({ name: hidden.name });
  // One that does not answer comes last, though it is the author's own and more called.
  const own = await liveAgent(t.ctx, ada.actor.user_id, { card });
  const unanswered = (is: boolean): Promise<number> => t.ctx.db('agents').where({ agent_id: own.id }).update({ unanswered: is, call_count: 9 });
  await unanswered(false);
  expect((await names({}))[0]).toBe(own.name);
  await unanswered(true);
  expect((await names({})).at(-1)).toBe(own.name);
  // Ada called Ben's agent: that does not show it what she keeps to herself.
  expect((await findAgents(run(theirs), { limit: 50 })).map(({ name }) => name)).not.toContain(mine.name);
  expect(await refusal(discoverAgent(run(theirs), { name: mine.name }))).toMatchObject({ name: 'NotFound' });
});
