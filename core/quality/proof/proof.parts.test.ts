// Proofs on a real Temporal, with a worker and an agent in processes of their own, taken away in the middle.
import { verifyAsync } from '@noble/ed25519';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ProofDetailOut, ProofRunIn } from '#contract/quality/agent-proofs.ts';
import { ProofRunIn as ProofRunInSchema } from '#contract/quality/agent-proofs.ts';
import { checkProof, type ProofVerdict } from '#contract/wire/proof-check.ts';
import { getProof } from '#core/evidence/proof/read.ts';
import { getPublishedProof, proofStanding } from '#core/evidence/proof/published.ts';
import { publishedKeys } from '#core/evidence/receipt/published-keys.ts';
import { getPublicAgent } from '#core/public/agent/get.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { durableRuns, within } from '#test/support/durable/runs.ts';
import { durableWorld, type DurableWorld } from '#test/support/durable/world.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { cancelJob } from '../../runs/job/cancel.ts';
import { runProof, workflowOfProof } from './begin.ts';

let w: DurableWorld;
const runs = durableRuns(() => w);
const SUM = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'], additionalProperties: false };

beforeAll(async () => {
  w = await durableWorld();
  // What its skills give, as a deployment would have read it.
  for (const table of ['agents', 'deployments'] as const) {
    const row = await w.t.ctx.db(table).where({ agent_id: w.agent.id }).first('card');
    const card = row?.card as { skills: { id: string; output_schema: object }[] };
    const skills = card.skills.map((skill) => (['add', 'lie'].includes(skill.id) ? { ...skill, output_schema: SUM } : skill));
    await w.t.ctx.db(table).where({ agent_id: w.agent.id }).update({ card: JSON.stringify({ ...card, skills }) }); // prettier-ignore
  }
  await w.t.ctx.db('deployments').where({ deploy_id: w.agent.deployId }).update({ source_commit: 'c'.repeat(40) }); // prettier-ignore
});
afterAll(() => w.close());

const begin = (skill_name: string, more: Partial<ProofRunIn> = {}, ctx: Ctx = w.ada, key?: string): Promise<ProofDetailOut> =>
  runProof(ctx, { ...ProofRunInSchema.parse({ skill_name, ...more }), name: w.agent.name, key });
const ended = (proof_id: string, ctx: Ctx = w.ada): Promise<ProofDetailOut> =>
  vi.waitFor(async () => {
    const shown = await getProof(ctx, { proof_id });
    if (shown.status === 'running') throw new Error('still running');
    return shown;
  }, within);
const prove = async (skill: string, more: Partial<ProofRunIn> = {}, ctx: Ctx = w.ada): Promise<ProofDetailOut> =>
  ended((await begin(skill, more, ctx)).proof_id, ctx);
const failedOf = (proof: ProofDetailOut): string[] => proof.checks.flatMap(({ name, passed }) => (passed ? [] : [name]));

async function check(proof: { proof: string | null; receipt: string | null }, beside = {}): Promise<ProofVerdict> {
  const { keys } = await publishedKeys(w.t.ctx);
  return checkProof({ proof: proof.proof ?? '', receipt: proof.receipt ?? '', keys, verify: (s, m, k) => verifyAsync(s, m, k, { zip215: false }), beside });
}

test('a skill is performed on a case that is made, signed, published, and checked by anybody with the published keys', async () => {
  const proof = await prove('add', { seed: 'one', properties: [{ kind: 'latency', max_ms: 60_000 }] });
  expect(proof).toMatchObject({
    status: 'passed',
    error: null,
    run_by: 'owner',
    case: 'sampled',
    seed: 'one',
    published: true,
    stale: null,
    head_sha: 'c'.repeat(40),
  });
  expect(proof.checks.map(({ name }) => name)).toEqual(['outcome', 'receipt', 'output_schema', 'asks_nobody', 'deadline', 'budget', 'property_1_latency']);
  const { a, b } = proof.args as { a: number; b: number };
  expect(proof.result).toEqual({ sum: a + b });
  expect((await begin('add', { seed: 'one' }).then(({ proof_id }) => ended(proof_id))).args).toEqual(proof.args);

  const shown = await getPublishedProof(w.t.ctx, { name: w.agent.name, proof_id: proof.proof_id });
  const { card } = await getPublicAgent(w.t.ctx, { name: w.agent.name });
  const { args, result } = shown;
  const verdict = await check(shown, { agent: w.agent.name, card, args, result, hasCommit: true, image: 'sha256:1', fits: () => true });
  expect(verdict.findings.filter(({ is }) => is !== 'passed')).toEqual([]);
  expect(verdict.isAuthentic).toBe(true);
  expect(verdict.proof).toMatchObject({ proof_id: proof.proof_id, counts: { checks: 7, passed: 7 }, status: 'passed' });
  expect(await proofStanding(w.t.ctx, { name: w.agent.name })).toMatchObject({ standing: 'proven', live: { passed: 2, failed: 0 } });
  await recordHistory(w.t.temporal, workflowOfProof(proof.proof_id), 'proveSkill.passed');
  // Its grant was for this call, and for no files.
  expect(await w.t.ctx.db('grants').where({ grant_id: proof.grant_id ?? '' }).first()).toMatchObject({ audience: w.agent.name, allow_patterns: [], run_id: proof.run_id, revoked_at: expect.any(Date) }); // prettier-ignore
});

test('whichever process is killed: it is performed once, with one receipt and one verdict', async () => {
  const before = await runs.noted('tell');
  const { proof_id, run_id } = await begin('tell', { args: { times: 20, everyMs: 30 } }, w.ada, 'a key');
  expect((await begin('tell', { args: { times: 20, everyMs: 30 } }, w.ada, 'a key')).proof_id).toBe(proof_id);
  await vi.waitFor(async () => expect(await runs.noted('tell')).toBe(before + 1), within);
  await w.killWorker();
  await w.startWorker();
  const proof = await ended(proof_id);
  expect(proof).toMatchObject({ status: 'passed', result: { told: 20 }, published: false });
  expect(await runs.noted('tell')).toBe(before + 1);
  expect(await runs.receipts(run_id ?? '')).toBe(1);
  const sealed = await w.t.ctx.db('job_events').where({ job_id: proof.job_id ?? '', kind: 'proof.signed' });
  expect(sealed).toHaveLength(1);
  await expect(getPublishedProof(w.t.ctx, { name: w.agent.name, proof_id })).rejects.toMatchObject({ code: 'proof_not_found' });
});

test('an agent that lies in its events proves nothing by them', async () => {
  const proof = await prove('lie', { args: {}, properties: [{ kind: 'matches', pattern: '^3$', pointer: '/sum', absent: false }] });
  expect(proof).toMatchObject({ status: 'failed', result: { sum: 'three' } });
  expect(failedOf(proof)).toEqual(['output_schema', 'property_1_matches']);
  expect((await check(proof, { args: proof.args, result: proof.result })).isAuthentic).toBe(true);
});

test('a skill that asks a person, fails, or does not end in time has failed, and the proof says why', async () => {
  const asks = await prove('ask', { args: { times: 1 } });
  expect([asks.status, asks.error?.code, failedOf(asks)]).toEqual(['failed', 'asked_a_person', ['outcome', 'output_schema', 'asks_nobody']]);
  await recordHistory(w.t.temporal, workflowOfProof(asks.proof_id), 'proveSkill.asked');
  const fails = await prove('fail', { args: {} });
  expect([fails.status, fails.error?.code]).toEqual(['failed', 'skill_invocation_error']);
  const late = await prove('obey', { args: {}, deadline_seconds: 5 });
  expect([late.status, late.error?.code, failedOf(late)]).toEqual(['failed', 'proof_deadline', ['outcome', 'output_schema', 'deadline']]);
  for (const proof of [asks, fails, late]) expect((await check(proof)).isAuthentic).toBe(true);
});

test('a cancelled one ends with its run, without a verdict', async () => {
  const { proof_id, job_id, run_id } = await begin('obey', { publish: true });
  await vi.waitFor(async () => expect(await runs.show(run_id ?? '')).toMatchObject({ state: 'running' }), within);
  await cancelJob(w.ada, { job_id: job_id ?? '' });
  const proof = await ended(proof_id);
  expect(proof).toMatchObject({ status: 'failed', error: { code: 'cancelled' }, proof: null, checks: [] });
  expect(await runs.show(run_id ?? '')).toMatchObject({ state: 'cancelled' });
  await recordHistory(w.t.temporal, workflowOfProof(proof_id), 'proveSkill.cancelled');
  await expect(getPublishedProof(w.t.ctx, { name: w.agent.name, proof_id })).rejects.toMatchObject({ code: 'proof_not_found' });
});

test('a caller proves only for themselves', async () => {
  await expect(begin('add', { publish: true }, w.ben)).rejects.toMatchObject({ code: 'proof_not_by_owner' });
  const proof = await prove('add', {}, w.ben);
  expect(proof).toMatchObject({ status: 'passed', run_by: 'caller', published: false });
  await expect(getProof(w.ada, { proof_id: proof.proof_id })).rejects.toMatchObject({ code: 'proof_not_found' });
  await expect(getPublishedProof(w.t.ctx, { name: w.agent.name, proof_id: proof.proof_id })).rejects.toMatchObject({ code: 'proof_not_found' });
});

test('what is spent, and the properties that were stated, decide', async () => {
  const { proof_id, run_id } = await begin('obey', { args: {}, budget_micros: 10 });
  const user_id = w.ada.actor.user_id;
  const credential = { credential_id: newId('llc'), user_id, name: 'x', provider: 'x', protocol: 'openai', base_url: 'http://x.test', model: 'm' } as const;
  await w.t.ctx.db('llm_credentials').insert(credential);
  const use = { usage_id: newId('llu'), credential_id: credential.credential_id, credential: 'x', provider: 'x', model: 'm', purpose: 'agent', run_id };
  await w.t.ctx
    .db('llm_usage')
    .insert({ ...use, user_id, state: 'ok', reserved_micros: 0, cost_micros: 11, day: '2026-01-01', started_at: new Date(), ended_at: new Date() });
  const proof = await ended(proof_id);
  expect([proof.error?.code, failedOf(proof)]).toEqual(['proof_over_budget', ['outcome', 'output_schema', 'budget']]);
});
