import type { Knex } from 'knex';
import type { z } from 'zod';
import type { FindingListOut } from '#contract/quality/findings.ts';
import type { FindingSeverity } from '#contract/states.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { decodeCursor, toPage } from '../../kernel/page.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { freezingFinding } from '../../agents/agent/frozen.ts';
import { type FindingView, presentFinding } from './model.ts';

export interface ListFindings {
  name: string;
  limit: number;
  cursor?: string | undefined;
  state: 'all' | 'open';
  severity?: FindingSeverity | undefined;
}

/** Newest first. */
export async function listFindings(ctx: Ctx, i: ListFindings): Promise<z.infer<typeof FindingListOut>> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'finding.read', i.name);
  const query = findingRows(ctx.db)
    .where({ 'f.agent_id': agent_id })
    .orderBy('f.finding_id', 'desc')
    .limit(i.limit + 1);
  if (i.state === 'open') void query.where({ 'f.state': 'open' });
  if (i.severity !== undefined) void query.where({ 'f.severity': i.severity });
  if (i.cursor !== undefined) void query.where('f.finding_id', '<', decodeCursor(i.cursor, ['string'])[0]);
  const page = toPage(await query, i.limit, presentFinding, (row) => [row.finding_id]);
  return { ...page, frozen_by: (await freezingFinding(ctx.db, agent_id))?.finding_id ?? null };
}

/** Findings with the name of their agent and the version they were found in. */
export function findingRows(db: Knex): Knex.QueryBuilder<object, FindingView[]> {
  // Safe: these are the columns of FindingView.
  return db('agent_findings as f')
    .join('agents as a', 'a.agent_id', 'f.agent_id')
    .join('deployments as d', 'd.deploy_id', 'f.deploy_id')
    .select('f.*', 'a.name as agent_name', 'd.version') as unknown as Knex.QueryBuilder<object, FindingView[]>;
}

/** Of that agent. @throws NotFound finding_not_found */
export async function findingOf(db: Knex, agentId: string, i: { name: string; finding_id: string }): Promise<FindingView> {
  const [row] = await findingRows(db).where({ 'f.agent_id': agentId, 'f.finding_id': i.finding_id });
  if (!row) throw new NotFound('finding_not_found', `${i.name} has no finding ${i.finding_id}: list its findings`);
  return row;
}
