// Pauses for a person on a real Temporal server and a real database, told to a real HTTP server on the
// instance's socket.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDeployActivities } from '#activities/deploy.ts';
import { createWaitActivities } from '#activities/waits.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { temporalWorkflows } from '#drivers/workflows/temporal.ts';
import { dispatchOne, sweepOutbox } from '#core/outbox/dispatch.ts';
import { askPerson, cancelWait, getWait } from '#core/pauses/wait/ask.ts';
import { decideScope } from '#core/pauses/decision/card.ts';
import { openWait } from '#core/pauses/wait/open.ts';
import { reconcileWorkflows } from '#core/outbox/reconcile.ts';
import { resolveWait } from '#core/pauses/decision/resolve.ts';
import { inTx } from '#core/kernel/tx.ts';
import { bucketOf } from '#core/workspace/grant/bucket.ts';
import { verifyGrant } from '#core/workspace/grant/verify.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { freePort } from '#test/support/free-port.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { type LiveAgent, listenAs, liveAgent, type Machine, runOf, type TestRun } from '#test/support/runs.ts';
import { testTemporal } from '#test/support/servers.ts';
import { startTestWorkers } from '#test/support/workers.ts';
import { owners } from '#worker/housekeeping.ts';
import { cites } from '#test/spec/verifies.ts';

let t: TestContext;
let ada: TestUser;
let agent: LiveAgent;
let machine: Machine;
let startWorkers: () => Promise<() => Promise<void>>;
let stopWorkers: () => Promise<void>;

beforeAll(async () => {
  const temporal = await testTemporal();
  t = await testContext({ temporal });
  ada = await t.user('ada');
  agent = await liveAgent(t.ctx, ada.actor.user_id);
  machine = await listenAs(t.ctx, agent);
  const activities = { ...createDeployActivities({ ...t.ctx, node: 'local' }), ...createWaitActivities(t.ctx) };
  startWorkers = () => startTestWorkers(temporal, activities);
  stopWorkers = await startWorkers();
});
afterAll(async () => {
  await stopWorkers();
  await machine.close();
  await t.close();
});

const question = (): string => `qst_${randomUUID()}`;
const anew = (ctx: TestUser): TestUser => ({ ...ctx, requestId: newId('req') });
const ask = async (timeout_seconds = 60, run: TestRun = runOf(t.ctx, agent, ada.actor.user_id)): Promise<{ id: string; run: TestRun }> => {
  const id = question();
  expect(await askPerson(run, { question_id: id, prompt: 'Which colour?', timeout_seconds })).toMatchObject({ wait_id: id, state: 'pending' });
  return { id, run };
};
const answer = (id: string, text = 'blue', as: TestUser = anew(ada)): Promise<unknown> =>
  // Its start may still be on its way.
  vi.waitFor(() => resolveWait(as, { waitId: id, kind: 'question', decision: { decision: 'answered', answer: text } }), {
    timeout: 15_000,
    interval: 50,
  });
const once = (id: string, text: string, as: TestUser = anew(ada)): Promise<unknown> =>
  resolveWait(as, { waitId: id, kind: 'question', decision: { decision: 'answered', answer: text } });
const told = (id: string): unknown[] => machine.told.filter(({ path }) => path === `/answers/${id}`).map(({ body }) => body);
/** A message that overtook the start of its workflow comes again, as a worker sends it. */
const becomes = (run: Ctx, id: string, what: object): Promise<void> =>
  vi.waitFor(
    async () => {
      await sweepOutbox(t.ctx);
      expect(await getWait(run, { wait_id: id })).toMatchObject(what);
    },
    { timeout: 20_000, interval: 50 },
  );
const isTold = (id: string, body: unknown): Promise<void> => vi.waitFor(() => expect(told(id)).toEqual([body]), { timeout: 20_000, interval: 50 });
const stateOf = async (run: TestRun): Promise<string | undefined> => (await t.ctx.db('runs').where({ run_id: run.actor.run_id }).first('state'))?.state;
const keep = (id: string, name: string): Promise<void> => recordHistory(t.temporal, `wait:${id}`, name);

test('an answer is stored, and told to the running skill with its own key', cites('ask.event'), async () => {
  const { id, run } = await ask();
  expect(await stateOf(run)).toBe('waiting');
  await answer(id);
  await isTold(id, { answer: 'blue' });
  await becomes(run, id, { state: 'answered', answer: 'blue' });
  expect(machine.told.at(-1)?.authorization).toBe('Bearer the-key');
  expect(await stateOf(run)).toBe('running');
  await vi.waitFor(async () => expect((await t.ctx.db('waits').where({ wait_id: id }).first())?.delivered_at).not.toBeNull());
  await keep(id, 'humanWait.answered');
});

test('another answer is refused; the same again is no second one', async () => {
  const { id, run } = await ask();
  await once(id, 'blue');
  await expect(once(id, 'red')).rejects.toMatchObject({ code: 'wait_resolved', name: 'Conflict', details: { state: 'answered' } });
  expect(await once(id, 'blue')).toMatchObject({ state: 'answered' });
  await becomes(run, id, { state: 'answered', answer: 'blue' });
  await isTold(id, { answer: 'blue' });
});

test('of many answers at once one counts', async () => {
  const { id, run } = await ask();
  await vi.waitFor(async () => expect(await t.ctx.drivers.workflows.describe(`wait:${id}`)).toBe('running'));
  const colours = Array.from({ length: 60 }, (_, n) => `colour ${n}`);
  const outcomes = await Promise.allSettled(colours.map((colour) => once(id, colour)));
  const won = outcomes.findIndex(({ status }) => status === 'fulfilled');
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'wait_resolved' });
  await becomes(run, id, { state: 'answered', answer: colours[won] });
  await isTold(id, { answer: colours[won] });
});

test('after the deadline the question is expired, the skill is told, and an answer is refused as gone', cites('ask.timeout'), async () => {
  const { id, run } = await ask(0.5);
  await becomes(run, id, { state: 'expired' });
  await isTold(id, { expired: true });
  await expect(once(id, 'late')).rejects.toMatchObject({ code: 'wait_over', name: 'Gone' });
  await keep(id, 'humanWait.expired');
});

test('a skill that no longer waits withdraws its question', async () => {
  const { id, run } = await ask();
  await cancelWait(run, { wait_id: id });
  await becomes(run, id, { state: 'cancelled' });
  await expect(once(id, 'late')).rejects.toMatchObject({ name: 'Gone' });
  expect(told(id)).toEqual([]);
  await keep(id, 'humanWait.withdrawn');
});

test('an approved scope request becomes a grant at that moment, handed to the skill; a denied one its reason', cites('scope.approved'), async () => {
  const asked = {
    bucket: bucketOf(ada.actor.user_id),
    grant_id: null,
    old: null,
    read: ['docs/**'],
    write_prefix: 'out',
    mode: 'read_write_overlay' as const,
    ttl_seconds: 60,
    deny_patterns: [],
    reason: 'to write',
    files: [],
  };
  const open = async (): Promise<{ id: string; run: TestRun }> => {
    const [id, run] = [`scr_${randomUUID()}`, runOf(t.ctx, agent, ada.actor.user_id)];
    await inTx(run, (ctx) => openWait(ctx, { waitId: id, kind: 'scope_request', prompt: 'may I?', request: asked, timeoutSeconds: 60 }));
    return { id, run };
  };
  const decide = (id: string, decision: 'approve' | 'deny'): Promise<unknown> =>
    vi.waitFor(() => decideScope(anew(ada), { approval_id: id, decision, reason: 'not today' }), { timeout: 15_000, interval: 50 });
  const bodies = (id: string): unknown[] => machine.told.filter(({ path }) => path === `/scope-grants/${id}`).map(({ body }) => body);
  const { id, run } = await open();
  expect(await decide(id, 'approve')).toMatchObject({ state: 'approved', requested: { read: ['docs/**'], write_prefix: 'out' } });
  await vi.waitFor(() => expect(bodies(id)).toEqual([{ grant_token: expect.any(String) }]), { timeout: 20_000 });
  const { grant_token = '' } = await getWait(run, { wait_id: id });
  expect(bodies(id)).toEqual([{ grant_token }]);
  const { grant } = await verifyGrant(run, grant_token);
  expect(grant).toMatchObject({ audience: agent.name, outputs_prefix: 'out', mode: 'read_write_overlay' });
  expect(grant.expires_at - grant.issued_at).toBe(60);
  const other = await open();
  await decide(other.id, 'deny');
  await vi.waitFor(() => expect(bodies(other.id)).toEqual([{ denied: { reason: 'not today' } }]), { timeout: 20_000 });
});

test('an agent in trouble is told when it is well again; one that knows of no question is not touched', async () => {
  machine.answer = 503;
  const { id } = await ask();
  await answer(id);
  await vi.waitFor(() => expect(told(id).length).toBeGreaterThan(1), { timeout: 15_000 });
  machine.answer = 204;
  await vi.waitFor(async () => expect((await t.ctx.db('waits').where({ wait_id: id }).first())?.delivered_at).not.toBeNull(), { timeout: 20_000 });
  machine.answer = 404;
  const unknown = await ask();
  await answer(unknown.id);
  await vi.waitFor(async () => expect(await t.ctx.drivers.workflows.describe(`wait:${unknown.id}`)).toBe('completed'), { timeout: 15_000 });
  // By the process that took the answer, and by the workflow, which does not come again.
  expect(told(unknown.id)).toHaveLength(2);
  machine.answer = 204;
  await keep(unknown.id, 'humanWait.not-taken');
});

test('the agent is down when the answer comes, and hears it when it is back', async () => {
  const { id } = await ask();
  await machine.close();
  await answer(id);
  machine = await listenAs(t.ctx, agent);
  await isTold(id, { answer: 'blue' });
});

test('the worker goes away between the answer and its delivery: another one delivers it', async () => {
  const { id, run } = await ask();
  machine.answer = 503;
  await answer(id);
  await vi.waitFor(() => expect(told(id).length).toBeGreaterThan(0), { timeout: 15_000 });
  await stopWorkers();
  machine.answer = 204;
  machine.told = [];
  stopWorkers = await startWorkers();
  await isTold(id, { answer: 'blue' });
  await becomes(run, id, { state: 'answered' });
});

test('without a worker an answer is kept, and told to the agent by the next worker', async () => {
  const { id, run } = await ask();
  await vi.waitFor(async () => expect(await t.ctx.drivers.workflows.describe(`wait:${id}`)).toBe('running'));
  await stopWorkers();
  machine.answer = 503;
  await once(id, 'blue');
  await becomes(run, id, { state: 'answered', answer: 'blue' });
  await vi.waitFor(() => expect(told(id).length).toBeGreaterThan(0));
  machine.answer = 204;
  machine.told = [];
  stopWorkers = await startWorkers();
  await isTold(id, { answer: 'blue' });
});

test('an answer that is given while the engine is away is told when it is back', async () => {
  const { id, run } = await ask();
  await vi.waitFor(async () => expect(await t.ctx.drivers.workflows.describe(`wait:${id}`)).toBe('running'));
  const away = temporalWorkflows({ address: `127.0.0.1:${await freePort()}`, namespace: 'default' });
  machine.answer = 503;
  await once(id, 'blue', { ...anew(ada), drivers: { ...t.ctx.drivers, workflows: away } });
  await becomes(run, id, { state: 'answered', answer: 'blue' });
  const tried = () =>
    t.ctx
      .db('outbox')
      .where({ workflow_id: `wait:${id}`, name: 'voted' })
      .first('attempts', 'sent_at');
  await expect.poll(async () => (await tried())?.attempts, { timeout: 20_000 }).toBeGreaterThan(0);
  await away.close();
  machine.answer = 204;
  machine.told = [];
  // The try that failed may write its pause after this.
  await vi.waitFor(
    async () => {
      await t.ctx
        .db('outbox')
        .where({ workflow_id: `wait:${id}`, sent_at: null })
        .update({ due_at: new Date(0), created_at: new Date(0) });
      await sweepOutbox(t.ctx);
      expect((await tried())?.sent_at).toBeInstanceOf(Date);
    },
    { timeout: 20_000, interval: 200 },
  );
  await isTold(id, { answer: 'blue' });
});

test('a process that dies between the write and the delivery: the outbox has the rest', async () => {
  const { id, run } = await ask();
  await vi.waitFor(async () => expect(await t.ctx.drivers.workflows.describe(`wait:${id}`)).toBe('running'));
  // Nothing of what follows the commit is done.
  const never = new Promise<never>(() => undefined);
  const workflows = { ...t.ctx.drivers.workflows, signal: () => never };
  const dying = { ...anew(ada), drivers: { ...t.ctx.drivers, workflows, agentHttp: { ...t.ctx.drivers.agentHttp, send: () => never } } };
  expect(await once(id, 'blue', dying)).toMatchObject({ state: 'answered' });
  expect(told(id)).toEqual([]);
  await becomes(run, id, { state: 'answered', answer: 'blue' });
  await vi.waitFor(
    async () => {
      await sweepOutbox(t.ctx);
      expect(told(id)).toEqual([{ answer: 'blue' }]);
    },
    { timeout: 20_000, interval: 50 },
  );
});

const lost = async (id: string): Promise<void> => {
  await vi.waitFor(async () => expect(await t.ctx.drivers.workflows.describe(`wait:${id}`)).toBe('running'));
  await t.temporal.workflow.getHandle(`wait:${id}`).terminate('by hand');
};
/** The engine's list may lag. */
const repaired = (id: string): Promise<void> =>
  vi.waitFor(async () => expect(await reconcileWorkflows(t.ctx, owners)).toEqual([`wait:${id}`]), { timeout: 20_000, interval: 100 });

test('a workflow that was ended by hand leaves no wait open: begun again, it ends at its time', async () => {
  const { id, run } = await ask(2);
  await lost(id);
  await repaired(id);
  await becomes(run, id, { state: 'expired' });
  await isTold(id, { expired: true });
});

test('a wait whose workflow was ended by hand can be answered, and its skill is told', async () => {
  const { id, run } = await ask();
  await lost(id);
  machine.answer = 503;
  await answer(id);
  await vi.waitFor(() => expect(told(id)).toHaveLength(1));
  machine.answer = 204;
  await repaired(id);
  await vi.waitFor(async () => expect((await t.ctx.db('waits').where({ wait_id: id }).first())?.delivered_at).not.toBeNull());
  expect(told(id)).toEqual([{ answer: 'blue' }, { answer: 'blue' }]);
  await becomes(run, id, { state: 'answered', answer: 'blue' });
});

test('a wait whose run has ended without its workflow is closed, and its person is no longer asked', async () => {
  const { id, run } = await ask();
  await t.ctx.db('runs').where({ run_id: run.actor.run_id }).update({ state: 'failed', ended_at: new Date() });
  await lost(id);
  await repaired(id);
  expect(await t.ctx.db('waits').where({ wait_id: id }).first('state')).toEqual({ state: 'cancelled' });
});

test('a start that is sent again starts nothing twice', async () => {
  const { id } = await ask();
  const row = await t.ctx
    .db('outbox')
    .where({ workflow_id: `wait:${id}` })
    .first();
  await t.ctx
    .db('outbox')
    .where({ workflow_id: `wait:${id}` })
    .update({ sent_at: null, due_at: new Date(0).toISOString() });
  await dispatchOne(t.ctx, row?.outbox_id ?? '');
  await answer(id);
  await isTold(id, { answer: 'blue' });
});
