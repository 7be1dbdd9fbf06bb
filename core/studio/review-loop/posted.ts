// What a reviewer says becomes findings and proposals. A finding with a call is planned as a probe, and
// believed once that has shown it.
import type { Knex } from 'knex';
import { z } from 'zod';
import { PostedFinding, PostedProposal } from '#contract/studio/adversarial-review-loops.ts';
import type { ReviewLoopsRow } from '#db/tables.ts';
import { recordFinding } from '../../quality/finding/record.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { storableJson } from '../../kernel/storable.ts';
import type { AttackCase } from './attack/case.ts';
import { specOf } from './model.ts';

/** What a probe that somebody proposed carries. */
export interface Proposed {
  tried: AttackCase;
  /** Of the reviewer who found it. Absent: a language model proposed the call. */
  finding?: { said: PostedFinding; by: string };
}

/** Limits: findings of one loop, and unanswered findings of an agent. */
const MAX_FINDINGS = 100;
const MAX_OPEN = 2_000;

type Loop = Pick<ReviewLoopsRow, 'job_id' | 'agent_id' | 'deploy_id' | 'spec' | 'iteration'>;

/** With the loop's row locked. Resolves with the findings' ids. @throws Conflict too_many_events */
export async function takeFindings(ctx: TxCtx, loop: Loop, by: string, findings: readonly PostedFinding[]): Promise<string[]> {
  await requireRoom(ctx.db, loop, findings.length);
  const ids: string[] = [];
  for (const finding of findings) {
    const recorded = await recordFinding(ctx, { ...findingFromPost(loop, finding, by), reproduction: null, confirmed: false });
    ids.push(recorded.finding_id);
    const { reproduction } = finding;
    if (!reproduction || !specOf(loop).skills.includes(reproduction.skill)) continue;
    const tried: AttackCase = { attack: 'proposed', skill: reproduction.skill, at: '', calls: [{ args: reproduction.args, grant: 'given' }], fits: false };
    await planProposed(ctx.db, loop, [{ tried, finding: { said: finding, by } }]);
  }
  return ids;
}

/** As the reviewer tells it; the same title of the same reviewer is the same finding. */
export function findingFromPost(loop: Pick<Loop, 'job_id' | 'agent_id' | 'deploy_id'>, said: PostedFinding, by: string) {
  const { severity, rule, title, message, skill = null } = said;
  return {
    agentId: loop.agent_id,
    deployId: loop.deploy_id,
    jobId: loop.job_id,
    source: 'review_loop' as const,
    severity,
    rule,
    skill,
    title,
    message,
    at: `${by}: ${title}`,
  };
}

/** Beside the probes that are planned. */
export async function planProposed(tx: Knex, loop: Pick<Loop, 'job_id' | 'iteration'>, proposed: readonly Proposed[]): Promise<void> {
  const [last] = await tx('review_probes').where({ job_id: loop.job_id }).max<{ max: number | null }[]>('number');
  const first = (last?.max ?? 0) + 1;
  if (proposed.length === 0) return;
  await tx('review_probes').insert(
    proposed.map((one, at) => ({
      job_id: loop.job_id,
      number: first + at,
      iteration: Math.max(1, loop.iteration),
      attack: 'proposed' as const,
      skill: one.tried.skill,
      proposed: storableJson(one),
      state: 'planned' as const,
    })),
  );
}

/** @throws NotFound finding_not_found: a proposal is about a finding of this agent */
export async function takeProposal(tx: Knex, loop: Pick<Loop, 'job_id' | 'agent_id'>, by: string, proposal: z.infer<typeof PostedProposal>): Promise<number> {
  const finding = await tx('agent_findings').where({ agent_id: loop.agent_id, finding_id: proposal.finding_id }).first('finding_id', 'title');
  if (!finding) throw new NotFound('finding_not_found', `There is no finding ${proposal.finding_id} of this agent: a proposal names the finding that it mends`);
  return (await appendEvent(tx, loop.job_id, 'fix_proposed', { by, proposal })) ?? 0;
}

const Result = z.object({ findings: z.array(z.unknown()).max(200).default([]), proposals: z.array(z.unknown()).max(200).default([]) });
const MOST_TAKEN = 20;

/** What the reviewer's result says; what does not fit is left out. */
export function readResult(result: unknown): { findings: PostedFinding[]; proposals: z.infer<typeof PostedProposal>[]; left_out: number } {
  const read = Result.safeParse(result).data ?? { findings: [], proposals: [] };
  const findings = read.findings.flatMap((one) => PostedFinding.safeParse(one).data ?? []).slice(0, MOST_TAKEN);
  const proposals = read.proposals.flatMap((one) => PostedProposal.safeParse(one).data ?? []).slice(0, MOST_TAKEN);
  return { findings, proposals, left_out: read.findings.length + read.proposals.length - findings.length - proposals.length };
}

async function requireRoom(tx: Knex, { job_id, agent_id }: Loop, more: number): Promise<void> {
  const inLoop = await tx('agent_findings').where({ job_id }).limit(MAX_FINDINGS).select('finding_id');
  const open = await tx('agent_findings').where({ agent_id, state: 'open' }).limit(MAX_OPEN).select('finding_id');
  if (inLoop.length + more > MAX_FINDINGS || open.length + more > MAX_OPEN)
    throw new Conflict('too_many_events', `A loop takes ${MAX_FINDINGS} findings, and an agent has at most ${MAX_OPEN} open ones: report what matters most`);
}
