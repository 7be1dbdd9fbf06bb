// One line of any source, in one shape: without content, tokens of grants or secrets.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { ControlRoomReceiptOut } from '#contract/overview/control-room.ts';
import type { ControlRoomSource } from '#contract/states.ts';
import type { ReceiptPayload } from '#contract/wire/receipt.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { may, requireUser } from '../../kernel/policy.ts';
import { presentSubagentRun, selectSubagentRuns } from '../../runs/subagent/find.ts';
import { presentDenial } from './present.ts';

type Out = z.infer<typeof ControlRoomReceiptOut>;
type ReceiptLine = Omit<Out, 'policy' | 'denials' | 'cost_micros'>;

const MOST_LINES = 100;

/** @throws NotFound receipt_not_found */
export async function controlRoomReceipt(ctx: Ctx, { source, item_id }: { source: ControlRoomSource; item_id: string }): Promise<Out> {
  const { user_id } = requireUser(ctx, 'control_room.read');
  const line = await FINDERS[source](ctx, item_id, user_id);
  if (!line) throw new NotFound('receipt_not_found', `You have no ${source} ${item_id}`);
  const [denials, cost] = await Promise.all([denialsOf(ctx.db, line.run_id, user_id), costOf(ctx.db, line.run_id, user_id)]);
  return { ...line, policy: denials, denials: denials.length, cost_micros: cost };
}

const FINDERS: Record<ControlRoomSource, (ctx: Ctx, itemId: string, userId: string) => Promise<ReceiptLine | undefined>> = {
  receipt: signed,
  meta_run: metaRun,
  subagent_run: subagentRun,
};

async function signed(ctx: Ctx, itemId: string, userId: string): Promise<ReceiptLine | undefined> {
  const row = await ctx.db('receipts').where({ receipt_id: itemId }).first();
  const agent = row && (await ctx.db('agents').where({ agent_id: row.agent_id }).first('name', 'owner_id'));
  if (!row || !agent) return undefined;
  const readable = may(ctx.actor, 'receipt.read', { owner: agent.owner_id, caller: row.caller_user_id }) || agent.owner_id === userId;
  if (!readable) return undefined;
  // Safe: seal.ts and report.ts, the only writers, store payloads that passed the schema.
  const payload = row.payload as ReceiptPayload;
  return {
    source: 'receipt',
    item_id: row.receipt_id,
    agent: agent.name,
    title: `${agent.name}.${row.skill}`,
    status: row.status,
    signed: row.source === 'platform',
    run_id: row.run_id,
    receipt_id: row.receipt_id,
    at: row.created_at.toISOString(),
    skill: row.skill,
    caller: row.caller_id,
    job_id: row.job_id,
    grant_id: payload.grants[0] ?? null,
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at.toISOString(),
    duration_ms: row.duration_ms,
    token: row.token,
    facts: { ...payload },
  };
}

async function metaRun({ db }: Ctx, itemId: string, userId: string): Promise<ReceiptLine | undefined> {
  const row = await db('meta_runs').where({ meta_run_id: itemId, user_id: userId }).first();
  const agent = row && (await db('agents').where({ agent_id: row.agent_id }).first('name'));
  if (!row || !agent) return undefined;
  const run = row.run_id === null ? undefined : await db('runs').where({ run_id: row.run_id }).first('skill', 'job_id', 'grant_id', 'receipt_id', 'caller_id');
  return {
    source: 'meta_run',
    item_id: row.meta_run_id,
    agent: agent.name,
    title: row.goal.slice(0, 200),
    status: row.status,
    signed: false,
    run_id: row.run_id,
    receipt_id: run?.receipt_id ?? null,
    at: row.updated_at.toISOString(),
    skill: run?.skill ?? null,
    caller: run?.caller_id ?? null,
    job_id: run?.job_id ?? null,
    grant_id: run?.grant_id ?? null,
    started_at: row.created_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    duration_ms: row.ended_at && Math.max(0, row.ended_at.getTime() - row.created_at.getTime()),
    token: null,
    facts: { goal: row.goal, version: row.version },
  };
}

async function subagentRun({ db }: Ctx, itemId: string, userId: string): Promise<ReceiptLine | undefined> {
  const [row] = await selectSubagentRuns(db, 's.grant_id = :itemId and s.owner_id = :userId', { itemId, userId });
  if (!row) return undefined;
  const shown = presentSubagentRun(row);
  const job = row.run_id === null ? undefined : await db('runs').where({ run_id: row.run_id }).first('job_id');
  const { agent, skill, caller_agent: caller, started_at, ended_at, run_id, receipt_id, state: status, ...rest } = shown;
  return {
    source: 'subagent_run',
    item_id: row.grant_id,
    agent,
    title: `${caller === null ? '' : `${caller} → `}${agent}.${skill}`,
    status,
    signed: false,
    run_id,
    receipt_id,
    at: started_at,
    skill,
    caller,
    job_id: job?.job_id ?? null,
    grant_id: row.grant_id,
    started_at,
    ended_at,
    duration_ms: ended_at === null ? null : Math.max(0, Date.parse(ended_at) - Date.parse(started_at)),
    token: null,
    facts: rest,
  };
}

async function denialsOf(db: Knex, runId: string | null, userId: string): Promise<Out['policy']> {
  if (runId === null) return [];
  const rows = await db('policy_denials').where({ run_id: runId, user_id: userId }).orderBy(['created_at', 'denial_id']).limit(MOST_LINES);
  return rows.map(presentDenial);
}

async function costOf(db: Knex, runId: string | null, userId: string): Promise<number> {
  if (runId === null) return 0;
  const { rows } = await db.raw<{ rows: [{ cost: number }] }>(
    `select (select coalesce(sum(cost_micros), 0) from llm_usage where run_id = :runId and user_id = :userId)::bigint
          + (select coalesce(sum(amount_micros), 0) from charges where run_id = :runId and payer_id = :userId)::bigint as cost`,
    { runId, userId },
  );
  return rows[0].cost;
}
