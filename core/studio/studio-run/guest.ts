// The source of an agent for somebody who may have no account: written by a recipe, never run, under a token
// that only they know.
import { randomBytes } from 'node:crypto';
import type { GuestBrief, GuestClaimIn, GuestRunCreatedOut, GuestRunOut, StudioRunOut } from '#contract/studio/studio-brief.ts';
import { StudioBrief } from '#contract/studio/studio-brief.ts';
import { sha256Hex } from '#contract/crypto/sha256.ts';
import type { StudioGuestRunsRow } from '#db/tables.ts';
import { act, recorded, system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import { textOf } from '../../agents/source/pack.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { requireUser } from '../../kernel/policy.ts';
import { storableJson } from '../../kernel/storable.ts';
import { recipeOf } from '../recipe/index.ts';
import { readRun } from './read.ts';
import { recipesFor } from './recipes-for.ts';
import { makePlan } from './resolve.ts';
import { FIRST_VERSION } from './row.ts';
import { addStudioRun } from './start.ts';

const DAY_MS = 86_400_000;
/** On the whole installation; unclaimed ones are deleted after a day. */
const MAX_GUEST_RUNS = 2_000;
/** An input by which a recipe fetches what is there. */
const FETCHED = 'openapi_url';

/**
 * @throws Conflict studio_no_recipe, studio_guest_limit; Invalid for inputs that the recipe cannot be filled
 * from
 */
export async function createGuestRun(ctx: Ctx, brief: GuestBrief): Promise<GuestRunCreatedOut> {
  const recipe = recipeForGuest(brief);
  const { files } = await recipeOf(recipe).write(ctx, { ...brief, version: FIRST_VERSION });
  const token = `sgr_${randomBytes(32).toString('base64url')}`;
  const now = ctx.clock();
  // Everybody may: it has no owner, and costs only its row.
  const row = await system(ctx, async (ctx) => {
    await lockName(ctx.db, 'studio-guest-runs');
    const [{ count } = { count: 0 }] = await ctx.db('studio_guest_runs').whereNull('run_id').count<{ count: number }[]>('* as count');
    if (Number(count) >= MAX_GUEST_RUNS) throw new Conflict('studio_guest_limit', 'Too many guests are trying the studio now: sign in, or try again later');
    const [made] = await ctx
      .db('studio_guest_runs')
      .insert({
        token_sha256: sha256Hex(token),
        brief: storableJson(brief),
        recipe,
        files: storableJson(files.map((file) => ({ path: file.path, content: textOf(file) }))),
        created_at: new Date(now),
        expires_at: new Date(now + DAY_MS),
      })
      .returning('*');
    if (!made) throw new Error('a guest run was not written');
    await audit(ctx, 'studio.guest_run', { guest_run: sha256Hex(token).slice(0, 16) }, { recipe });
    return made;
  });
  return { ...present(row), token };
}

function recipeForGuest(brief: GuestBrief): StudioGuestRunsRow['recipe'] {
  const [best] = recipesFor(brief);
  if (!best) throw new Conflict('studio_no_recipe', 'No recipe fits the goal: say it in other words, or name a recipe');
  if (best.recipe === 'api_wrapper' && FETCHED in brief.inputs)
    throw new Conflict('studio_sign_in', 'A description is fetched for who has signed in: give its text here, or sign in');
  return best.recipe;
}

/** @throws NotFound studio_guest_run_not_found: also of one that is over */
export async function readGuestRun(ctx: Ctx, i: { token: string }): Promise<GuestRunOut> {
  return present(await guestRunOf(ctx, i.token));
}

async function guestRunOf(ctx: Ctx, token: string): Promise<StudioGuestRunsRow> {
  const row = await ctx.db('studio_guest_runs').where({ token_sha256: sha256Hex(token) }).where('expires_at', '>', new Date(ctx.clock())).first(); // prettier-ignore
  if (!row) throw new NotFound('studio_guest_run_not_found', 'There is no guest run of this token, or its day is over: make another');
  return row;
}

/**
 * A run of the studio of who claims it. @throws NotFound studio_guest_run_not_found; Conflict studio_claimed,
 * and what a run is refused for
 */
export async function claimGuestRun(ctx: Ctx, i: GuestClaimIn): Promise<StudioRunOut> {
  requireUser(ctx, 'studio.run');
  const guest = await guestRunOf(ctx, i.token);
  const given = guestBriefIn(guest);
  const brief = StudioBrief.parse({ ...given, recipe: guest.recipe, name: i.name ?? given.name });
  const plan = await makePlan(ctx, brief);
  const run_id = await act(ctx, 'studio.run', requireUser, async (ctx) => {
    const row = await ctx.db('studio_guest_runs').where({ token_sha256: guest.token_sha256 }).forUpdate().first('run_id');
    if (!row || row.run_id !== null) throw new Conflict('studio_claimed', 'The guest run was claimed already: make another');
    const id = await addStudioRun(ctx, { brief, plan, decision: 'build_new' });
    await ctx.db('studio_guest_runs').where({ token_sha256: guest.token_sha256 }).update({ run_id: id });
    return recorded(id);
  });
  return readRun(ctx, { run_id });
}

/** Resolves with how many went. */
export async function sweepGuestRuns(ctx: Ctx): Promise<number> {
  await ctx
    .db('studio_plans')
    .where('expires_at', '<', new Date(ctx.clock() - DAY_MS))
    .delete();
  return ctx.db('studio_guest_runs').where('expires_at', '<', new Date(ctx.clock())).delete();
}

// Safe: createGuestRun writes what the schema let through.
const guestBriefIn = (row: Pick<StudioGuestRunsRow, 'brief'>): GuestBrief => row.brief as GuestBrief;

const present = (row: StudioGuestRunsRow): GuestRunOut => ({
  brief: guestBriefIn(row),
  recipe: row.recipe,
  // Safe: createGuestRun writes them, in this shape.
  files: row.files as GuestRunOut['files'],
  claimed: row.run_id !== null,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
});
