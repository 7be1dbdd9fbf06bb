// A trial room and its runs as they are kept.
import type { Knex } from 'knex';
import type { TrialRoomIn, TrialCase, TrialContestantOut, TrialDecision, TrialPart, TrialRunOut } from '#contract/studio/trial-rooms.ts';
import type { TrialRoomState } from '#contract/states.ts';
import type { Interval } from '#contract/wire/interval.ts';
import type { JobsRow, TrialResultsRow, TrialRoomsRow, TrialRunsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import type { Action } from '../../kernel/policy.ts';
import { whereMay } from '../../kernel/policy.ts';

export const TRIAL_KIND = 'trial';
export const workflowOfTrial = (runId: string): string => `trial:${runId}`;

/** What was given, with the cases that it stands for. */
export type RoomSpec = Omit<TrialRoomIn, 'slug' | 'cases' | 'dataset'> & { cases: TrialCase[] };

// Safe: only the verbs of this folder write these columns, in these shapes.
export const roomSpecIn = (row: Pick<TrialRoomsRow, 'spec'>): RoomSpec => row.spec as RoomSpec;
export const decisionIn = (row: Pick<TrialRoomsRow, 'decision'>): TrialDecision | null => row.decision as TrialDecision | null;
export const scoreIn = (row: Pick<TrialRunsRow, 'score'>): Interval | null => row.score as Interval | null;
export const comparedIn = (row: Pick<TrialRunsRow, 'compared'>): TrialRunOut['compared'] => row.compared as TrialRunOut['compared'];
export const mapIn = (row: Pick<TrialRunsRow, 'map'>): Record<string, string> | undefined => (row.map ?? undefined) as Record<string, string> | undefined;
export const partsIn = (row: Pick<TrialResultsRow, 'parts'>): TrialPart[] => row.parts as TrialPart[];

/** A run with what its job says. */
export type TrialRunRow = TrialRunsRow & Pick<JobsRow, 'state' | 'error'>;

export function selectTrialRuns(db: Knex) {
  return db('trial_runs as t').leftJoin('jobs as j', 'j.job_id', 't.job_id').select<TrialRunRow[]>('t.*', 'j.state', 'j.error');
}

export const contestantOf = (row: TrialRunsRow): TrialContestantOut => ({
  agent: row.agent_name,
  skill: row.skill,
  deploy_id: row.deploy_id,
  version: row.version,
  credential: row.credential,
  model: row.model,
});

export function roomState(room: Pick<TrialRoomsRow, 'decided_at'>, runs: { all: number; open: number }): TrialRoomState {
  if (room.decided_at !== null) return 'decided';
  if (runs.all === 0) return 'draft';
  return runs.open > 0 ? 'open' : 'evaluating';
}

type RoomAction = Extract<Action, `trial_room.${string}`>;

/** `lock`: what is done with it comes one after the other. @throws NotFound trial_room_not_found */
export async function roomFor(ctx: Ctx, db: Knex, action: RoomAction, slug: string, lock?: 'lock'): Promise<TrialRoomsRow> {
  const query = db('trial_rooms as r')
    .where('r.slug', slug)
    .where(whereMay(ctx.actor, action, { owner: 'r.owner_id' }));
  const row = await (lock ? query.forUpdate() : query).first('r.*');
  if (!row) throw new NotFound('trial_room_not_found', `You have no trial room ${slug}: list yours with svc trials list`);
  return row;
}

/** The subject of an action (core/kernel/act.ts): as roomFor, locked. */
export function roomNamed(slug: string) {
  return (ctx: Ctx, action: RoomAction): Promise<TrialRoomsRow> => roomFor(ctx, ctx.db, action, slug, 'lock');
}

/** @throws NotFound trial_run_not_found */
export async function runOfRoom(db: Knex, room: TrialRoomsRow, runId: string): Promise<TrialRunRow> {
  const [row] = await selectTrialRuns(db).where({ 't.room_id': room.room_id, 't.run_id': runId });
  if (!row) throw new NotFound('trial_run_not_found', `${room.slug} has no run ${runId}: read the trial room`);
  return row;
}
