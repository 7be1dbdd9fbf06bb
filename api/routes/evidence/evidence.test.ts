// Receipts, work ledger and public feed as a client sees them: over HTTP, through the typed client, strictly.
import { randomBytes } from 'node:crypto';
import { verifyAsync } from '@noble/ed25519';
import { createParser } from 'eventsource-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentReceipts } from '#contract/evidence/agent-receipts.ts';
import { publicRoutes as publicGroup } from '#contract/public/public.ts';
import { workLedger } from '#contract/runs/work-ledger.ts';
import { verifyReceipt } from '#contract/wire/receipt.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { appendReceipt } from '#core/evidence/receipt/sign.ts';
import { appendEvent } from '#core/jobs/append-event.ts';
import { createJob } from '#core/jobs/create.ts';
import { transitionJob } from '#core/jobs/transition.ts';
import { type Listener, startListener } from '#core/jobs/wakeups.ts';
import { addAgent, facts, testCtx } from '#test/support/verbs.ts';
import { inTx } from '#core/kernel/tx.ts';
import { createPool } from '#db/pool.ts';
import { createVault } from '#drivers/vault/key-file.ts';
import { testDatabase } from '#test/support/servers.ts';
import { serveForTest, TEST_ACTORS, type TestApi } from '../../http/test/serve.ts';
import { publicRoutes } from '../public/public.ts';
import { workLedgerRoutes } from '../runs/work-ledger.ts';
import { agentReceiptRoutes } from './agent-receipts.ts';
import { cites } from '#test/spec/verifies.ts';

const contract = { agentReceipts, workLedger, public: publicGroup };
const handlers = { agentReceipts: agentReceiptRoutes, workLedger: workLedgerRoutes, public: publicRoutes };
let api: TestApi<typeof contract>;
let wakeups: Listener;
let ctx: Ctx;
beforeAll(async () => {
  const { url } = await testDatabase();
  const db = createPool({ connectionString: url });
  wakeups = await startListener(url);
  ctx = testCtx(db, { vault: createVault([randomBytes(32)]), wakeups, actor: { kind: 'platform', service: 'test' } });
  for (const actor of Object.values(TEST_ACTORS)) {
    if (actor.kind === 'user') await db('users').insert({ user_id: actor.user_id, issuer: 'test', subject: actor.user_id, email: actor.email });
  }
  api = await serveForTest(contract, handlers, { db, drivers: ctx.drivers });
});
afterAll(async () => {
  await api.close();
  await wakeups.close();
  await ctx.db.destroy();
});

const status = (code: number) => expect.objectContaining({ status: code });
const job = (): Promise<string> => inTx(ctx, (ctx) => createJob(ctx, { kind: 'run', title: 'Run', ownerId: 'usr_ada' }));

describe('receipts', () => {
  it(
    'are listed, read and verified with nothing but the published keys',
    cites('agentReceipts.list', 'agentReceipts.get', 'agentReceipts.report', 'public.receiptKeys', 'receipts.key'),
    async () => {
      const agent = await addAgent(ctx.db, 'usr_ada', { visibility: 'public', live: true });
      const caller = { kind: 'user', id: 'usr_ben', userId: 'usr_ben' };
      const sealed = await inTx(ctx, (ctx) => appendReceipt(ctx, facts(agent, { caller })));
      const { items } = await api.as('ben').agentReceipts.list({ params: { name: agent.name } });
      expect(items.map((r) => r.receipt_id)).toEqual([sealed.receipt_id]);
      const one = await api.as('ada').agentReceipts.get({ params: { name: agent.name, receipt_id: sealed.receipt_id } });
      const { keys } = await api.as().public.receiptKeys();
      const key = keys.find((k) => k.kid === one.kid);
      expect(await verifyReceipt(one.token, Buffer.from(key?.public_key ?? '', 'base64'), verifyAsync)).toEqual(one.payload);
      expect(await api.as('ada').agentReceipts.report({ params: { name: agent.name }, body: { token: one.token } })).toEqual(one);
    },
  );

  it('refuse the anonymous, tokens of other kinds, strangers and junk', async () => {
    const agent = await addAgent(ctx.db, 'usr_ada');
    const params = { name: agent.name };
    await expect(api.as().agentReceipts.list({ params })).rejects.toEqual(status(401));
    await expect(api.as('agent').agentReceipts.list({ params })).rejects.toEqual(status(403));
    await expect(api.as('ben').agentReceipts.list({ params })).rejects.toEqual(status(404));
    await expect(api.as('ben').agentReceipts.report({ params, body: { token: 'x' } })).rejects.toEqual(status(404));
    await expect(api.as('ada').agentReceipts.report({ params, body: { token: 'x' } })).rejects.toEqual(status(400));
    await expect(api.as('ada').agentReceipts.list({ params, query: { cursor: 'x' } })).rejects.toEqual(status(400));
    await expect(api.as('ada').agentReceipts.get({ params: { ...params, receipt_id: 'rcp_1' } })).rejects.toEqual(status(422));
    await expect(api.as('ada').agentReceipts.get({ params: { ...params, receipt_id: `rcp_${'0'.repeat(36)}` } })).rejects.toEqual(status(404));
  });
});

describe('the work ledger', () => {
  async function events(response: Response): Promise<string[]> {
    const seen: string[] = [];
    const parser = createParser({ onEvent: ({ id, event }) => void seen.push(`${id} ${event}`) });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
    return seen;
  }

  it('streams a job as it happens, ends with it, and resumes after the last event seen', cites('workLedger.stream'), async () => {
    const jobId = await job();
    const response = await api.as('ada').workLedger.stream({ params: { job_id: jobId } });
    const reading = events(response);
    await appendEvent(ctx.db, jobId, 'log', { text: 'one' });
    await transitionJob(ctx.db, jobId, { from: ['queued'], to: 'succeeded', output: {} });
    expect(await reading).toEqual(['1 job.queued', '2 log', '3 job.succeeded']);
    const resumed = await api.as('ada').workLedger.stream({ params: { job_id: jobId } }, { headers: { 'last-event-id': '2' } });
    expect(await events(resumed)).toEqual(['3 job.succeeded']);
    const strange = await api.as('ada').workLedger.stream({ params: { job_id: jobId }, query: { after: 1 } }, { headers: { 'last-event-id': 'not ours' } });
    expect(await events(strange)).toEqual(['2 log', '3 job.succeeded']);
  });

  it('lists, shows and cancels', cites('workLedger.activity', 'workLedger.get', 'workLedger.events'), async () => {
    const jobId = await job();
    const ada = api.as('ada');
    expect((await ada.workLedger.activity({ query: { state: 'queued' } })).items.map((j) => j.job_id)).toContain(jobId);
    expect(await ada.workLedger.cancel({ params: { job_id: jobId } })).toMatchObject({ state: 'cancelled' });
    await expect(ada.workLedger.cancel({ params: { job_id: jobId } })).rejects.toMatchObject({ status: 409, code: 'job_ended' });
    expect((await ada.workLedger.events({ params: { job_id: jobId } })).items.map((e) => e.kind)).toEqual([
      'job.queued',
      'job.cancel_requested',
      'job.cancelled',
    ]);
    expect(await ada.workLedger.get({ params: { job_id: jobId } })).toMatchObject({ state: 'cancelled', last_seq: 3 });
  });

  it("does not know another account's job", async () => {
    const params = { job_id: await job() };
    const ben = api.as('ben').workLedger;
    for (const call of [ben.get, ben.cancel, ben.events, ben.stream]) await expect(call({ params })).rejects.toEqual(status(404));
    expect((await ben.activity()).items).toEqual([]);
    await expect(api.as().workLedger.stream({ params })).rejects.toEqual(status(401));
  });
});

describe('the public feed', () => {
  it('needs no credentials and answers with listed agents only', cites('public.agents', 'public.agent'), async () => {
    const agent = await addAgent(ctx.db, 'usr_ada', { visibility: 'public', live: true, tags: ['text'] });
    const hidden = await addAgent(ctx.db, 'usr_ada', { live: true });
    const { items } = await api.as().public.agents({ query: { tag: 'text' } });
    expect(items.map((a) => a.name)).toEqual([agent.name]);
    expect(await api.as().public.agent({ params: { name: agent.name } })).toMatchObject({ name: agent.name, card: null });
    await expect(api.as().public.agent({ params: { name: hidden.name } })).rejects.toEqual(status(404));
    await expect(api.as().public.agents({ query: { cursor: 'e30' } })).rejects.toEqual(status(400));
  });

  it('takes text that PostgreSQL would not', async () => {
    for (const query of ['tag=%00', 'tag=%ff']) expect((await fetch(`${api.url}/v1/public/agents?${query}`)).status, query).toBeLessThan(500);
    const authorization = 'Bearer ada';
    for (const query of ['kind=%00', 'agent=a%00b'])
      expect((await fetch(`${api.url}/v1/me/activity?${query}`, { headers: { authorization } })).status, query).toBeLessThan(500);
  });
});
