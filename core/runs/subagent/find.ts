// Rows of calls between agents, with the state of their runs.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { SubagentRunOut, SubagentTrackIn } from '#contract/runs/subagent-runs.ts';
import type { RunsRow, SubagentRunsRow } from '#db/tables.ts';
import type { Actor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { microseconds } from '../../kernel/keyset.ts';
import { type Action, rowsThatMay } from '../../kernel/policy.ts';

export interface SubagentView extends SubagentRunsRow {
  run_state: RunsRow['state'] | null;
  run_ended_at: Date | null;
  receipt_id: string | null;
  run_input: string | null;
  output_sha256: string | null;
  error_code: string | null;
  can_rerun: boolean;
  cursor_at: number;
}

/** Condition in SQL over `s`, with its bindings. */
export async function selectSubagentRuns(db: Knex, where: string, bindings: Record<string, Knex.RawBinding>): Promise<SubagentView[]> {
  const { rows } = await db.raw<{ rows: SubagentView[] }>(
    `select s.*, r.state as run_state, r.ended_at as run_ended_at, r.receipt_id, coalesce(r.input_sha256, c.payload->>'input_sha256') as run_input,
            c.payload->>'output_sha256' as output_sha256, c.payload->>'error_code' as error_code, (r.args is not null or s.args is not null) as can_rerun,
            ${microseconds('s.started_at')} as cursor_at
     from subagent_runs s
     left join runs r on r.run_id = s.run_id
     left join receipts c on c.receipt_id = r.receipt_id
     where ${where}`,
    bindings,
  );
  return rows;
}

/** Without asking who acts. */
export async function subagentRunOf(db: Knex, grantId: string): Promise<SubagentView> {
  const [row] = await selectSubagentRuns(db, 's.grant_id = :grantId', { grantId });
  if (!row) throw noSuchRun(grantId);
  return row;
}

function noSuchRun(grantId: string): NotFound {
  return new NotFound('subagent_run_not_found', `You have no call under grant ${grantId}`);
}

/** @throws NotFound subagent_run_not_found, also for one that the actor may not do it to */
export async function subagentRunFor(db: Knex, actor: Actor, action: Action, grantId: string): Promise<SubagentView> {
  const { sql, bindings } = rowsThatMay(actor, action, { owner: 's.owner_id' });
  const [row] = await selectSubagentRuns(db, `s.grant_id = :grantId and ${sql}`, { grantId, ...bindings });
  if (!row) throw noSuchRun(grantId);
  return row;
}

type Out = z.infer<typeof SubagentRunOut>;

export function presentSubagentRun(row: SubagentView): Out {
  const reported = reportOf(row);
  return {
    grant_id: row.grant_id,
    agent: row.agent_name,
    skill: row.skill,
    caller_agent: row.caller_agent,
    caller_run_id: row.caller_run_id,
    source: row.source,
    state: reported?.state ?? (row.run_state === 'queued' ? 'running' : (row.run_state ?? 'running')),
    run_id: row.run_id,
    calls: row.calls,
    rerun_of: row.rerun_of,
    can_rerun: row.can_rerun,
    receipt_id: row.receipt_id,
    input_sha256: reported ? reported.input_sha256 : row.run_input,
    output_sha256: reported ? reported.output_sha256 : row.output_sha256,
    error_code: reported ? reported.error_code : row.error_code,
    started_at: row.started_at.toISOString(),
    ended_at: reported ? reported.ended_at : (row.run_ended_at?.toISOString() ?? null),
  };
}

export type Report = Pick<SubagentTrackIn, 'state' | 'ended_at' | 'input_sha256' | 'output_sha256' | 'error_code'>;

// Safe: the column has one writer, track.ts, which writes this shape.
export function reportOf(row: Pick<SubagentRunsRow, 'reported'>): Report | null {
  return row.reported as Report | null;
}
