// A trial room as its owner sees it. In a blind one, who a contestant is stays hidden until they have rated
// every run that ended, or one is selected.
import type { TrialRoomOut, TrialRoomSummary, TrialRunOut } from '#contract/studio/trial-rooms.ts';
import type { TrialRatingsRow, TrialResultsRow, TrialRoomsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { storedFault } from '../../kernel/errors.ts';
import { newestPage } from '../../kernel/keyset.ts';
import type { Page } from '../../kernel/page.ts';
import { requireUser, whereMay } from '../../kernel/policy.ts';
import { labelOf } from './label.ts';
import { comparedIn, contestantOf, decisionIn, partsIn, roomFor, type TrialRunRow, scoreIn, selectTrialRuns, roomSpecIn, roomState } from './row.ts';

type Counted = TrialRoomsRow & { cases: number; runs: number; open: number };
const COUNTED = `r.*, jsonb_array_length(r.spec->'cases') as cases, (select count(*)::int from trial_runs t where t.room_id = r.room_id) as runs,
  (select count(*)::int from trial_runs t where t.room_id = r.room_id and t.ended_at is null) as open`;

/** Newest first. */
export async function listRooms(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<Page<TrialRoomSummary>> {
  requireUser(ctx, 'trial_room.read');
  const query = ctx
    .db('trial_rooms as r')
    .select<Counted[]>(ctx.db.raw(COUNTED))
    .where(whereMay(ctx.actor, 'trial_room.read', { owner: 'r.owner_id' }));
  return newestPage(query, ['r.created_at', 'r.room_id'], i, summaryOf);
}

const summaryOf = (row: Counted): TrialRoomSummary => ({
  slug: row.slug,
  title: row.title,
  state: roomState(row, { all: row.runs, open: row.open }),
  cases: row.cases,
  runs: row.runs,
  on_deploy: row.on_deploy,
  created_at: row.created_at.toISOString(),
  decided_at: row.decided_at?.toISOString() ?? null,
});

/** @throws NotFound trial_room_not_found */
export async function readRoom(ctx: Ctx, i: { slug: string }): Promise<TrialRoomOut> {
  const room = await roomFor(ctx, ctx.db, 'trial_room.read', i.slug);
  const contestants = await presentRuns(ctx, room);
  const spec = roomSpecIn(room);
  const open = contestants.filter(({ ended_at }) => ended_at === null).length;
  return {
    ...summaryOf({ ...room, cases: spec.cases.length, runs: contestants.length, open }),
    goal: spec.goal,
    acceptance_criteria: spec.acceptance_criteria,
    input_paths: spec.input_paths,
    output_schema: spec.output_schema ?? null,
    max_cost_cents: spec.max_cost_cents,
    max_runtime_seconds: spec.max_runtime_seconds,
    blind: spec.blind,
    items: spec.cases,
    contestants,
    decision: decisionIn(room),
  };
}

/** Best first; by label while they are hidden. */
export async function presentRuns(ctx: Ctx, room: TrialRoomsRow): Promise<TrialRunOut[]> {
  const { user_id } = requireUser(ctx, 'trial_room.read');
  const rows = await selectTrialRuns(ctx.db).where({ 't.room_id': room.room_id });
  const ids = rows.map(({ run_id }) => run_id);
  const results = Map.groupBy(await ctx.db('trial_results').whereIn('run_id', ids).orderBy('case_no'), ({ run_id }) => run_id); // prettier-ignore
  const ratings = Map.groupBy(await ctx.db('trial_ratings').whereIn('run_id', ids), ({ run_id }) => run_id); // prettier-ignore
  const hidden = isHidden(room, rows, new Set([...ratings].flatMap(([id, all]) => (all.some((one) => one.user_id === user_id) ? [id] : []))));
  const spec = roomSpecIn(room);
  const shown = rows.map((row) =>
    presentRun(row, results.get(row.run_id) ?? [], ratings.get(row.run_id) ?? [], { user_id, hidden, names: spec.cases.map(({ name }) => name ?? null) }),
  );
  if (hidden) return shown.toSorted((a, b) => a.label.localeCompare(b.label));
  return shown.toSorted((a, b) => (b.score?.mean ?? -1) - (a.score?.mean ?? -1) || a.created_at.localeCompare(b.created_at));
}

/** `rated`: the runs that the person has rated. */
export function isHidden(room: TrialRoomsRow, rows: readonly Pick<TrialRunRow, 'run_id' | 'ended_at'>[], rated: ReadonlySet<string>): boolean {
  if (!roomSpecIn(room).blind || room.decided_at !== null) return false;
  return rows.some(({ run_id, ended_at }) => ended_at === null || !rated.has(run_id));
}

function presentRun(
  row: TrialRunRow,
  results: readonly TrialResultsRow[],
  ratings: readonly TrialRatingsRow[],
  { user_id, hidden, names }: { user_id: string; hidden: boolean; names: readonly (string | null)[] },
): TrialRunOut {
  const mine = ratings.find((rating) => rating.user_id === user_id);
  const costs = results.map(({ cost_micros }) => cost_micros);
  const parts = Map.groupBy(results.flatMap(partsIn), ({ part }) => part);
  return {
    run_id: row.run_id,
    label: labelOf(row.run_id),
    contestant: hidden ? null : contestantOf(row),
    trigger: row.trigger,
    job_id: hidden ? null : row.job_id,
    state: row.state,
    score: scoreIn(row),
    parts: [...parts].map(([part, all]) => ({ part, mean: meanOf(all.flatMap(({ score }) => (score === null ? [] : [score]))) })),
    cost_micros: results.some(({ state, cost_micros, error }) => state === 'done' && cost_micros === null && error === null)
      ? null
      : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    compared: hidden ? null : comparedIn(row),
    ratings: {
      count: ratings.length,
      mean: meanOf(ratings.map(({ score }) => score)),
      mine: mine ? { score: mine.score, notes: mine.notes, blind: mine.blind } : null,
    },
    results: results.map((result) => presentResult(result, names[result.case_no - 1] ?? null, hidden)),
    error: storedFault(row.error),
    created_at: row.created_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}

const presentResult = (row: TrialResultsRow, name: string | null, hidden: boolean): TrialRunOut['results'][number] => ({
  case: row.case_no,
  name,
  state: row.state,
  score: row.score,
  parts: partsIn(row),
  output: row.output,
  error: storedFault(row.error),
  run_id: hidden ? null : row.child_run_id,
  receipt_id: hidden ? null : row.receipt_id,
  cost_micros: row.cost_micros,
  ms: row.ms,
});

export const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
