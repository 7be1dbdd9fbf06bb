// What is known of an agent, as its owner attacks it who would have it look better, and as another agent's
// who would have it look worse.
import { signAsync, utils, verifyAsync } from '@noble/ed25519';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeProof, type ProofPayload, proofBytes } from '#contract/wire/proof.ts';
import { checkProof } from '#contract/wire/proof-check.ts';
import { decodeReceipt, encodeReceipt, receiptBytes } from '#contract/wire/receipt.ts';
import { encodeSigned } from '#contract/wire/signed.ts';
import { ReviewLoopIn } from '#contract/studio/adversarial-review-loops.ts';
import { publishedKeys } from '#core/evidence/receipt/published-keys.ts';
import { newId } from '#core/kernel/ids.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { startLoop } from '#core/studio/review-loop/start.ts';
import type { AgentProofsRow } from '#db/tables.ts';
import { createWorld, type World } from '../api/world.ts';
import { addProof } from '../support/proofs.ts';
import { type LiveAgent, liveAgent, runOf } from '../support/runs.ts';

let world: World;
let ada: string;
let ben: string;
let hers: LiveAgent;
let his: LiveAgent;
let herProof: AgentProofsRow;
let hisProof: AgentProofsRow;

beforeAll(async () => {
  world = await createWorld();
  const idOf = async (name: string) => (await world.ctx.db('users').where('email', 'like', `${name}-%`).first('user_id'))?.user_id ?? '';
  [ada, ben] = [await idOf('ada'), await idOf('ben')];
  const card = { skills: [{ id: 'work', name: 'work', input_schema: { type: 'object' }, output_schema: {} }] };
  hers = await liveAgent(world.ctx, ada, { visibility: 'public', card });
  his = await liveAgent(world.ctx, ben, { visibility: 'public', card });
  herProof = await addProof(world.ctx, { agent: hers, deployId: hers.deployId, userId: ada });
  hisProof = await addProof(world.ctx, { agent: his, deployId: his.deployId, userId: ben, status: 'failed' });
});
afterAll(() => world.close());

async function send(method: 'GET' | 'POST', path: string, token: string, body?: object): Promise<{ status: number; code?: string }> {
  const response = await fetch(world.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { detail }: { detail?: { code: string } } = Object(await response.json());
  return { status: response.status, ...(detail && { code: detail.code }) };
}
/** Of a run of his agent that she called: what a hostile agent holds. */
const stolen = () => mintRunCredential(world.ctx.drivers.vault, runOf(world.ctx, his, ada).actor, Date.now() + 60_000);
const trustOf = async (agent: LiveAgent, token = world.tokens.ben) => {
  const response = await fetch(`${world.url}/v1/agents/${agent.name}/dossier`, { headers: { authorization: `Bearer ${token}` } });
  const { trust, quality }: { trust: { state: string }; quality: { calls: number } } = Object(await response.json());
  return { trust: trust.state, calls: quality.calls };
};
const receiptOf = async ({ receipt_id }: AgentProofsRow): Promise<string> =>
  (
    await world.ctx
      .db('receipts')
      .where({ receipt_id: receipt_id ?? '' })
      .first('token')
  )?.token ?? '';

async function authentic(proof: string, receipt: string, agent: LiveAgent): Promise<boolean> {
  const { keys } = await publishedKeys(world.ctx);
  const verdict = await checkProof({ proof, receipt, keys, verify: (s, m, k) => verifyAsync(s, m, k, { zip215: false }), beside: { agent: agent.name } });
  return verdict.isAuthentic;
}

test('a proof that he made himself, altered, or borrowed is not authentic', async () => {
  const [token, receipt] = [hisProof.token ?? '', await receiptOf(hisProof)];
  expect(await authentic(token, receipt, his)).toBe(true);
  const { payload } = decodeProof(token);
  const better: ProofPayload = { ...payload, status: 'passed', checks: payload.checks.map((check) => ({ ...check, passed: true, reason: null })) };
  const [, signature = ''] = token.split('.');
  const bytes = proofBytes(better);
  // With the platform's signature of what it was, and with one of a key of his that says the platform's id.
  expect(await authentic(`${Buffer.from(bytes).toString('base64url')}.${signature}`, receipt, his)).toBe(false);
  expect(await authentic(encodeSigned(bytes, await signAsync(bytes, utils.randomSecretKey())), receipt, his)).toBe(false);
  // Hers passes, and is hers; with his receipt it is nobody's.
  expect(await authentic(herProof.token ?? '', await receiptOf(herProof), his)).toBe(false);
  expect(await authentic(herProof.token ?? '', receipt, hers)).toBe(false);
});

test('what the platform signed as one thing does not pass for another', async () => {
  const [proof, receipt] = [hisProof.token ?? '', await receiptOf(hisProof)];
  expect(await authentic(receipt, proof, his)).toBe(false);
  const before = await world.ctx.db('receipts').where({ agent_id: his.id });
  expect(await send('POST', `/v1/agents/${his.name}/receipts`, world.tokens.ben, { token: proof })).toEqual({ status: 400, code: 'receipt_invalid' });
  expect(await world.ctx.db('receipts').where({ agent_id: his.id })).toHaveLength(before.length);
});

test('calls that nobody made, and calls of others, are not his to count', async () => {
  const before = await trustOf(his);
  const { payload } = decodeReceipt(await receiptOf(hisProof));
  const bytes = receiptBytes({ ...payload, receipt_id: newId('rcp'), status: 'ok', error_code: null });
  const forged = encodeReceipt(bytes, await signAsync(bytes, utils.randomSecretKey()));
  expect(await send('POST', `/v1/agents/${his.name}/receipts`, world.tokens.ben, { token: forged })).toEqual({ status: 400, code: 'receipt_invalid' });
  expect(await send('POST', `/v1/agents/${his.name}/receipts`, world.tokens.ben, { token: await receiptOf(herProof) })).toEqual({ status: 400, code: 'receipt_other_agent' }); // prettier-ignore
  // One of his own that is known stays the one that it was.
  expect((await send('POST', `/v1/agents/${his.name}/receipts`, world.tokens.ben, { token: await receiptOf(hisProof) })).status).toBeLessThan(300);
  expect(await trustOf(his)).toEqual(before);
});

test('nobody writes the review of another’s agent, answers its findings or withdraws its proofs: no account, and no run that it called', async () => {
  const loop = await startLoop(
    { ...world.ctx, actor: { kind: 'user', user_id: ada, email: '', operator: false, via: 'bearer' } },
    { name: hers.name, ...ReviewLoopIn.parse({}) },
  );
  const before = await trustOf(hers, world.tokens.ada);
  const findings = [{ severity: 'critical', rule: 'made-up', title: 'It steals', message: 'All.', reproduction: { skill: 'work', args: {} } }];
  for (const token of [world.tokens.ben, await stolen()]) {
    const events = `/v1/agents/${hers.name}/review-loops/${loop.job_id}/events`;
    for (const event of ['finding_emitted', 'loop_completed', 'loop_failed'])
      expect(await send('POST', events, token, { event, payload: { findings } }), event).toEqual({ status: 404, code: 'review_loop_not_found' });
    expect([403, 404]).toContain((await send('POST', `/v1/agents/${hers.name}/review-loops/${loop.job_id}/stop`, token, {})).status);
    expect([403, 404]).toContain((await send('POST', `/v1/agents/${hers.name}/review-loops`, token, {})).status);
    expect([403, 404]).toContain((await send('POST', `/v1/me/agent-proofs/${herProof.proof_id}/withdraw`, token, { reason: 'It is not mine' })).status);
  }
  expect(await world.ctx.db('agent_findings').where({ agent_id: hers.id })).toEqual([]);
  expect(await world.ctx.db('agent_proofs').where({ proof_id: herProof.proof_id }).first('withdrawn_at')).toEqual({ withdrawn_at: null });
  expect((await world.ctx.db('jobs').where({ job_id: loop.job_id }).first('ended_at'))?.ended_at).toBeNull();
  expect(await trustOf(hers, world.tokens.ada)).toEqual(before);
});

test('a proof that he runs of her agent, however it ends, says nothing of it to others', async () => {
  const before = await trustOf(hers, world.tokens.ada);
  const run = `/v1/me/agent-proofs/${hers.name}/run`;
  expect(await send('POST', run, world.tokens.ben, { skill_name: 'work', args: {}, publish: true })).toEqual({ status: 403, code: 'proof_not_by_owner' });
  // His agent may not begin one in her name either: she would pay for it, and it would count.
  expect((await send('POST', run, await stolen(), { skill_name: 'work', args: {} })).status).toBe(403);
  await addProof(world.ctx, { agent: hers, deployId: hers.deployId, userId: ben, status: 'failed', more: { run_by: 'caller', published: false } });
  expect(await trustOf(hers, world.tokens.ada)).toMatchObject({ trust: before.trust });
});
