// An agent that gets a grant while it runs, reads through it, and asks for a call: its receipt says so,
// whatever the agent says.
import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listReceipts } from '../../evidence/receipt/list.ts';
import { resolveRoute } from '../../agents/route/resolve.ts';
import { ReceiptPayload, receiptBytes } from '#contract/wire/receipt.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { newId } from '../../kernel/ids.ts';
import { inTx } from '../../kernel/tx.ts';
import { type LiveAgent, liveAgent, runOf } from '#test/support/runs.ts';
import { readGranted, statGranted } from '../../workspace/patch/view.ts';
import { presentOpenWait } from '../../pauses/wait/present-open.ts';
import { endCall } from '../call/end.ts';
import { requestScope } from '../../pauses/scope/request.ts';
import { uploadFiles } from '../../pauses/scope/test/files.ts';
import { askPerson } from '../../pauses/wait/ask.ts';
import { answerQuestion } from '../../pauses/decision/card.ts';
import { succeeded } from './outcome.ts';

const card = {
  skills: [{ id: 'work', name: 'work', policy: { allow_scope_expansion: true }, input_schema: {}, output_schema: {} }],
  workspace_access: { enabled: true, max_files: 5, allowed_modes: ['read_only'] },
};
let t: TestContext;
let ada: TestUser;
let agent: LiveAgent;
beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
  agent = await liveAgent(t.ctx, ada.actor.user_id, { card });
  await uploadFiles(ada, { 'docs/a.md': 'first', 'docs/b.md': 'second' });
});
afterAll(() => t.close());

async function receiptOf(run: ReturnType<typeof runOf>): Promise<ReceiptPayload> {
  const route = await resolveRoute(t.ctx, agent.name);
  if (!route) throw new Error('no route');
  const caller = { kind: 'user', id: ada.actor.user_id, userId: ada.actor.user_id };
  const facts = { caller, route, skill: 'work', inputSha256: 'a'.repeat(64), startedAt: run.actor.started_at, run: { ...run.actor, job_id: null } };
  const { receipt_id = '' } = (await endCall(t.ctx, { ...facts, grantId: 'grt_came_along' }, succeeded(1))) ?? {};
  return ReceiptPayload.parse((await t.ctx.db('receipts').where({ receipt_id }).first('payload'))?.payload);
}
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('the receipt names the grant that the run was given, each file that it read, once, the arguments that a person was shown, and who decided', async () => {
  const run = runOf(t.ctx, agent, ada.actor.user_id);
  const wish = {
    grant_token: null,
    reason: 'to sum up',
    read: ['docs/**'],
    write_prefix: null,
    ttl_seconds: 60,
    mode: 'read_only' as const,
    timeout_seconds: 60,
  };
  const given = await requestScope(run, { ...wish, request_id: `scr_${randomUUID()}` });
  if (given.state !== 'approved') throw new Error(given.state);
  for (const path of ['docs/b.md', 'docs/a.md', 'docs/a.md']) await readGranted(run, { token: given.grant_token, path });
  await statGranted(run, { token: given.grant_token, path: 'docs/b.md' });
  const schema = { type: 'object', properties: {}, 'x-svc-arguments-sha256': sha256('{"cents":1}') };
  const { wait_id } = await askPerson(run, {
    question_id: `qst_${randomUUID()}`,
    prompt: 'May the agent call pay with {"cents":1}?',
    timeout_seconds: 60,
    schema,
  });
  const wait = await t.ctx.db('waits').where({ wait_id }).first();
  expect(wait && presentOpenWait(wait)).toMatchObject({ arguments_sha256: sha256('{"cents":1}') });

  const answered = `qst_${randomUUID()}`;
  await askPerson(run, { question_id: answered, prompt: 'Which?', timeout_seconds: 60 });
  await answerQuestion(ada, { question_id: answered, answer: 'this' });

  const receipt = await receiptOf(run);
  const obtained = await t.ctx.db('grants').where({ run_id: run.actor.run_id }).pluck('grant_id');
  expect(obtained).toHaveLength(1);
  expect(receipt.grants).toEqual(['grt_came_along', ...obtained]);
  expect(receipt.files).toEqual([
    { path: 'docs/a.md', operation: 'read', sha256: sha256('first'), size_bytes: 5 },
    { path: 'docs/b.md', operation: 'read', sha256: sha256('second'), size_bytes: 6 },
  ]);
  expect(receipt.decisions).toEqual([
    expect.objectContaining({ kind: 'scope_request', state: 'approved', arguments_sha256: null, by: null }),
    { wait_id, kind: 'question', state: 'cancelled', arguments_sha256: sha256('{"cents":1}'), by: null },
    { wait_id: answered, kind: 'question', state: 'answered', arguments_sha256: null, by: ada.actor.user_id },
  ]);
  await expect(readGranted(run, { token: given.grant_token, path: 'docs/a.md' })).rejects.toThrow();
});

test('a thousand of the longest paths make no receipt that is sealed or listed in one long step', async () => {
  const longest = (n: number): string => `${Array.from({ length: 17 }, () => 'a'.repeat(59)).join('/')}${n}`;
  const sealed = [];
  for (let times = 0; times < 12; times += 1) {
    const run = runOf(t.ctx, agent, ada.actor.user_id);
    const read = Array.from({ length: 1_000 }, (_, n) => ({ run_id: run.actor.run_id, path: longest(1_000 + n), sha256: sha256('x'), size_bytes: 1 }));
    await inTx(run, async (ctx) => void (await ensureRun(ctx)));
    await t.ctx.db('run_reads').insert(read);
    sealed.push(await receiptOf(run));
  }
  const bytes = sealed.map(({ files }) => files.reduce((sum, { path }) => sum + Buffer.byteLength(path), 0));
  expect(Math.max(...bytes)).toBeLessThanOrEqual(256 * 1024);
  expect(Math.min(...bytes)).toBeGreaterThan(250 * 1024);
  for (const { files, left_out } of sealed) expect(left_out).toEqual({ files_read: 1_000 - files.length });
  const pages: string[][] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await listReceipts(ada, { name: agent.name, limit: 100, ...(typeof cursor === 'string' && { cursor }) });
    expect(JSON.stringify(page).length).toBeLessThan(2 * 4 * 1024 * 1024);
    pages.push(page.items.map(({ receipt_id }) => receipt_id));
    cursor = page.next_cursor;
  }
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.flat()).toEqual(expect.arrayContaining(sealed.map(({ receipt_id }) => receipt_id)));
  expect(new Set(pages.flat()).size).toBe(pages.flat().length);
});

test('what a receipt does not list, since there is too much of it, it counts', async () => {
  const run = runOf(t.ctx, agent, ada.actor.user_id);
  const { run_id } = run.actor;
  await inTx(run, async (ctx) => void (await ensureRun(ctx)));
  const { db } = t.ctx;
  await db('run_reads').insert(Array.from({ length: 1_003 }, (_, n) => ({ run_id, path: `read/${n}`, sha256: sha256('x'), size_bytes: 1 })));
  const [one] = await db('runs').where({ run_id });
  if (!one) throw new Error('no run');
  await db('runs').insert(
    Array.from({ length: 202 }, () => ({ ...one, args: null, run_id: newId('run'), parent_run_id: run_id, state: 'succeeded' as const, ended_at: new Date() })),
  );
  const denial = { user_id: ada.actor.user_id, run_id, action: 'egress' as const, outcome: 'deny' as const, rule: 'no', resource: 'x.example', message: 'No', agent_name: agent.name, policy_sha256: 'a'.repeat(64), policy_version: 1, count: 1, created_at: new Date(), last_at: new Date() }; // prettier-ignore
  await db('policy_denials').insert(Array.from({ length: 101 }, () => ({ ...denial, denial_id: newId('pdn'), denial_key: newId('req') })));
  const receipt = await receiptOf(run);
  expect(receipt.left_out).toEqual({ files_read: 3, handoffs: 2, denials: 1 });
  expect([receipt.files.length, receipt.handoffs.length, receipt.denials?.length]).toEqual([1_000, 200, 100]);
  // It is part of what is signed.
  expect(() => receiptBytes({ ...receipt, left_out: {} })).toThrow('nothing to say');
  expect(Buffer.from(receiptBytes(receipt)).toString()).toContain('"left_out":{"denials":1,"files_read":3,"handoffs":2}');
});

test('a receipt without these members, as they were before, is still one', async () => {
  const { decisions, ...before } = await receiptOf(runOf(t.ctx, agent, ada.actor.user_id));
  expect(decisions).toBeUndefined();
  expect(receiptBytes({ ...before, files: [] }).length).toBeGreaterThan(0);
});
