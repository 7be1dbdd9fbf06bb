// An account with an agent that serves, and what calls, models and reviews leave of it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { AutopilotRunOut, ProposalOut } from '#contract/studio/autopilot.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { addAgent, type TestAgent } from '#test/support/verbs.ts';
import { sourceRepository } from '../../../agents/agent/repository.ts';
import { countCalls } from '../../../evidence/insights/count-calls.ts';
import { newId } from '../../../kernel/ids.ts';
import { decideProposal, type StartEdit } from '../decide.ts';
import { runAutopilot } from '../look.ts';
import { readProposal } from '../proposal.ts';
import { AUTOPILOT_DAY_MS } from '../thresholds.ts';

export let t: TestContext;
export let ada: TestUser;
export let ben: TestUser;
export let agent: TestAgent;
export let deployId: string;
/** Noon, so that an hour before is the same day. */
export const NOW = Math.floor(Date.now() / AUTOPILOT_DAY_MS) * AUTOPILOT_DAY_MS + AUTOPILOT_DAY_MS / 2;
export const at = (user: TestUser, days = 0): TestUser => ({ ...user, clock: () => NOW + days * AUTOPILOT_DAY_MS });
export const ago = (days: number): Date => new Date(NOW - days * AUTOPILOT_DAY_MS);

/** For each test an account with an agent, and another account. */
export function useWorld(): void {
  beforeAll(async () => void (t = await testContext()));
  afterAll(() => t.close());
  beforeEach(async () => {
    [ada, ben] = [await t.user('ada'), await t.user('ben')];
    await anotherAgent();
  });
}

/** It is the agent from now on. */
export async function anotherAgent(): Promise<void> {
  ({ agent, deployId } = await serving(ada));
}

/** Called an hour ago, live for so many days. */
async function serving(owner: TestUser, days = 10): Promise<{ agent: TestAgent; deployId: string }> {
  const made = await addAgent(t.ctx.db, owner.actor.user_id, { live: true });
  const row = await t.ctx.db('agents').where({ agent_id: made.id }).first('live_deploy_id');
  const deploy_id = row?.live_deploy_id ?? '';
  await t.ctx
    .db('deployments')
    .where({ deploy_id })
    .update({ version: '1.0.0', live_at: ago(days) });
  await calls(1, { agentId: made.id });
  return { agent: made, deployId: deploy_id };
}

export async function calls(count: number, more: { agentId?: string; daysAgo?: number; code?: string; ms?: number } = {}): Promise<void> {
  const { agentId = agent.id, daysAgo = 0, code = null, ms = 100 } = more;
  await t.ctx.db.raw(
    `insert into receipts (receipt_id, agent_id, seq, source, kid, token, payload, payload_sha256, skill, status, caller_kind, started_at, ended_at, duration_ms, created_at)
     select 'rcp_' || gen_random_uuid(), :agentId, n + (select coalesce(max(seq), 0) from receipts where agent_id = :agentId), 'platform', 'key', 'token',
       jsonb_build_object('error_code', :code::text), repeat('0', 64), 'greet', case when :code::text is null then 'ok' else 'error' end, 'anonymous', :at, :at, :ms::int, :at
     from generate_series(1, :count::int) n`,
    { agentId, code, ms, count, at: ago(daysAgo + 1 / 24) },
  );
  await t.ctx.db.raw(
    `insert into receipt_chains (agent_id, seq, head_sha256) values (:agentId, :count, repeat('0', 64)) on conflict (agent_id) do update set seq = receipt_chains.seq + excluded.seq`,
    { agentId, count },
  );
}

export async function runs(count: number, micros: number, daysAgo = 0): Promise<void> {
  for (let n = 0; n < count; n += 1)
    await t.ctx.db('llm_usage').insert({
      usage_id: newId('llu'),
      user_id: ada.actor.user_id,
      credential_id: 'llc_1',
      credential: 'main',
      provider: 'openai',
      model: 'm-1',
      purpose: 'agent',
      agent_name: agent.name,
      run_id: newId('run'),
      state: 'ok',
      input_tokens: 1,
      output_tokens: 1,
      cost_micros: micros,
      day: ago(daysAgo).toISOString().slice(0, 10),
      started_at: ago(daysAgo + 1 / 24),
      ended_at: ago(daysAgo + 1 / 24),
    });
}

export async function reviewed(findings: object[], more: { lock?: string; daysAgo?: number; deploy?: string } = {}): Promise<void> {
  await t.ctx.db('review_runs').insert({
    review_id: newId('rev'),
    agent_id: agent.id,
    deploy_id: more.deploy ?? deployId,
    state: 'warning',
    summary: '',
    findings: JSON.stringify(findings),
    lock_sha256: more.lock ?? null,
    created_at: ago(more.daysAgo ?? 1),
    ended_at: ago(more.daysAgo ?? 1),
  });
}
export const advisory = (id: string, more: object = {}) => ({ hash: id, severity: 'critical', rule: 'known-advisory', path: 'package-lock.json', line: 1, title: 'Known advisory', message: `left-pad 1.0.0 has ${id} (A fault): update to 2.0.0 or later`, accepted: null, ...more }); // prettier-ignore

export async function finding(severity: 'critical' | 'warning', daysAgo: number): Promise<string> {
  const finding_id = newId('fnd');
  await t.ctx.db('agent_findings').insert({ finding_id, agent_id: agent.id, deploy_id: deployId, source: 'review_loop', hash: finding_id, severity, rule: 'path', title: 'Reads outside its folder', message: 'x', confirmed: true, state: 'open', created_at: ago(daysAgo) }); // prettier-ignore
  return finding_id;
}

export async function commit(text: string, name = agent.name): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-autopilot-'));
  await writeFile(join(folder, 'agent.ts'), text);
  const made = await t.ctx.drivers.scm.commitTree({ repository: sourceRepository(ada.actor.user_id, name), folder, branch: 'main', message: text, author: { name: 'ada', email: 'a@example.test' } }); // prettier-ignore
  await rm(folder, { recursive: true });
  return made.commit;
}

/** As a worker would: what is to be counted is counted first. */
export async function looked(days = 0): Promise<AutopilotRunOut> {
  await countCalls(t.ctx);
  return runAutopilot(at(ada, days));
}
export const shown = ({ created }: AutopilotRunOut) => created.map(({ category, severity }) => `${category} ${severity}`);
export async function only(run: Promise<AutopilotRunOut>): Promise<ProposalOut> {
  const { created } = await run;
  if (!created[0] || created.length > 1) throw new Error(`one proposal was expected, not ${JSON.stringify(created)}`);
  return created[0];
}
export const noEdit: StartEdit = () => Promise.reject(new Error('nothing was to be started'));
export const decide = (proposal_id: string, decision: 'accept' | 'reject', days = 0) =>
  decideProposal(at(ada, days), { proposal_id, decision, reason: '' }, noEdit);
export const stateOf = async (proposal_id: string) => (await readProposal(at(ada), { proposal_id })).state;
