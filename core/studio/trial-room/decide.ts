// What people say of contestants: ratings, and the one that is selected.
import type { TrialDecision, TrialRatingIn, TrialRoomOut, TrialRunOut } from '#contract/studio/trial-rooms.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { storableJson } from '../../kernel/storable.ts';
import { gainOver, scoresOf, seedOf } from './end.ts';
import { isHidden, meanOf, presentRuns, readRoom } from './read.ts';
import { contestantOf, decisionIn, roomFor, roomNamed, runOfRoom, scoreIn, selectTrialRuns } from './row.ts';

/** @throws NotFound trial_room_not_found, trial_run_not_found; Conflict trial_room_decided, trial_run_open */
export async function rateRun(ctx: Ctx, i: { slug: string; run_id: string } & TrialRatingIn): Promise<TrialRunOut> {
  const raterAndRoom = async (ctx: TxCtx, action: 'trial_room.rate') => {
    const { user_id } = requireUser(ctx, action);
    return { user_id, row: await roomFor(ctx, ctx.db, action, i.slug, 'lock') };
  };
  const room = await act(ctx, 'trial_room.rate', raterAndRoom, async (ctx, { user_id, row }) => {
    if (row.decided_at !== null) throw new Conflict('trial_room_decided', `A contestant of ${i.slug} was selected: ratings are closed`);
    const run = await runOfRoom(ctx.db, row, i.run_id);
    if (run.ended_at === null) throw new Conflict('trial_run_open', 'It has not answered every case: rate it when it has');
    const all = await selectTrialRuns(ctx.db).where({ 't.room_id': row.room_id });
    const mine = await ctx.db('trial_ratings').where({ user_id }).whereIn('run_id', all.map(({ run_id }) => run_id)).select('run_id', 'blind'); // prettier-ignore
    // Who has seen once who they are does not rate blind again.
    const blind = isHidden(row, all, new Set(mine.map(({ run_id }) => run_id))) && mine.every((one) => one.blind);
    const set = { score: i.score, notes: i.notes, blind, updated_at: new Date(ctx.clock()) };
    await ctx.db('trial_ratings').insert({ run_id: i.run_id, user_id, ...set }).onConflict(['run_id', 'user_id']).merge(); // prettier-ignore
    return done({ run: i.run_id }, { slug: i.slug, score: i.score, blind }, row);
  });
  const shown = (await presentRuns(ctx, room)).find(({ run_id }) => run_id === i.run_id);
  if (!shown) throw new NotFound('trial_run_not_found', `${i.slug} has no run ${i.run_id}: read the trial room`);
  return shown;
}

/**
 * Selecting the same again changes nothing. @throws NotFound trial_room_not_found, trial_run_not_found;
 * Conflict trial_room_decided, trial_run_open, trial_run_failed
 */
export async function selectRun(ctx: Ctx, i: { slug: string; run_id: string; reason: string }): Promise<TrialRoomOut> {
  await act(ctx, 'trial_room.select', roomNamed(i.slug), async (ctx, room) => {
    const chosen = await runOfRoom(ctx.db, room, i.run_id);
    const known = decisionIn(room);
    if (known?.run_id === i.run_id) return unchanged(undefined);
    if (known) throw new Conflict('trial_room_decided', `${known.run_id} of ${i.slug} was selected already: make another trial room`);
    const runs = await selectTrialRuns(ctx.db).where({ 't.room_id': room.room_id });
    if (chosen.ended_at === null) throw new Conflict('trial_run_open', 'It has not answered every case: select it when it has');
    if (chosen.state !== 'succeeded') throw new Conflict('trial_run_failed', `The run did not succeed (${chosen.state}): select one that did`);
    const ratings = await ctx.db('trial_ratings').whereIn('run_id', runs.map(({ run_id }) => run_id)).select('run_id', 'score'); // prettier-ignore
    const standing = runs
      .flatMap((run) => {
        const score = scoreIn(run);
        const rating = meanOf(ratings.flatMap(({ run_id, score: given }) => (run_id === run.run_id ? [given] : [])));
        return score ? [{ run_id: run.run_id, contestant: contestantOf(run), score, rating }] : [];
      })
      .toSorted((a, b) => b.score.mean - a.score.mean);
    const rival = standing.find(({ run_id }) => run_id !== i.run_id);
    const scores = async (runId: string) => scoresOf(await ctx.db('trial_results').where({ run_id: runId }).orderBy('case_no').select('score'));
    const lead = rival ? gainOver(seedOf(room.room_id), await scores(i.run_id), await scores(rival.run_id)) : undefined;
    const at = new Date(ctx.clock());
    const decision: TrialDecision = { run_id: i.run_id, reason: i.reason, at: at.toISOString(), standing, lead: lead ?? null };
    await ctx.db('trial_rooms').where({ room_id: room.room_id }).update({ decision: storableJson(decision), decided_at: at }); // prettier-ignore
    return done({ trial_room: room.room_id }, { slug: i.slug, run_id: i.run_id, agent: chosen.agent_name, model: chosen.model });
  });
  return readRoom(ctx, { slug: i.slug });
}
