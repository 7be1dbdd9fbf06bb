// A trial room is made: its task is checked once, and its cases are fixed.
import { MAX_TRIAL_CASES, type TrialCase, type TrialRoomIn, type TrialRoomOut } from '#contract/studio/trial-rooms.ts';
import { MAX_TRIAL_ROOMS } from '#contract/wire/limits.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { BadRequest, Conflict, NotFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { requireUser } from '../../kernel/policy.ts';
import { storableJson } from '../../kernel/storable.ts';
import { unreadable } from '../../quality/evaluation/readable.ts';
import { readRoom } from './read.ts';
import type { RoomSpec } from './row.ts';

/**
 * @throws NotFound agent_not_found, dataset_not_found; BadRequest trial_check_invalid; Conflict
 * trial_room_exists, trial_no_cases, too_many_trial_rooms
 */
export async function createRoom(ctx: Ctx, i: TrialRoomIn): Promise<TrialRoomOut> {
  const { user_id } = requireUser(ctx, 'trial_room.create');
  await requireReadable(user_id, i);
  const slug = i.slug ?? slugOf(i.title);
  await act(ctx, 'trial_room.create', requireUser, async (ctx) => {
    const { slug: _, cases, dataset, ...rest } = i;
    const spec: RoomSpec = { ...rest, cases: cases ?? (dataset ? await casesOf(ctx, dataset) : [{ inputs: {}, facts: [] }]) };
    await lockName(ctx.db, `trial-rooms/${user_id}`);
    const mine = await ctx.db('trial_rooms').where({ owner_id: user_id }).limit(MAX_TRIAL_ROOMS).select('slug');
    if (mine.length >= MAX_TRIAL_ROOMS)
      throw new Conflict('too_many_trial_rooms', `An account has ${MAX_TRIAL_ROOMS} trial rooms at most: use one that is there`);
    if (mine.some((room) => room.slug === slug)) throw new Conflict('trial_room_exists', `You have a trial room ${slug} already: give another slug`);
    const room_id = newId('trm', ctx.clock());
    await ctx.db('trial_rooms').insert({
      room_id,
      owner_id: user_id,
      slug,
      title: i.title,
      spec: storableJson(spec),
      on_deploy: i.on_deploy,
      created_at: new Date(ctx.clock()),
    });
    return done({ trial_room: room_id }, { slug, cases: spec.cases.length });
  });
  return readRoom(ctx, { slug });
}

function slugOf(title: string): string {
  const plain = title.normalize('NFKD').toLowerCase().replaceAll(/[^a-z0-9]+/gu, '-').slice(0, 60); // prettier-ignore
  const slug = plain.replaceAll(/^-+|-+$/gu, '');
  if (slug === '') throw new BadRequest('trial_check_invalid', 'No slug can be made from the title: give one');
  return slug;
}

/** Users who may change the dataset of an agent may use it. */
async function casesOf(ctx: TxCtx, i: NonNullable<TrialRoomIn['dataset']>): Promise<TrialCase[]> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'dataset.read', i.agent);
  const dataset = await ctx.db('datasets').where({ agent_id, name: i.dataset }).first('dataset_id');
  if (!dataset) throw new NotFound('dataset_not_found', `${i.agent} has no dataset ${i.dataset}`);
  const items = await ctx
    .db('dataset_items')
    .where({ dataset_id: dataset.dataset_id, ...(i.skill === undefined ? {} : { skill: i.skill }) })
    .orderBy('item_id')
    .limit(MAX_TRIAL_CASES);
  if (items.length === 0) throw new Conflict('trial_no_cases', `${i.dataset} has no example${i.skill === undefined ? '' : ` of ${i.skill}`}`);
  // Safe: an object, by the schema of examples.
  return items.map((item) => ({ inputs: item.args as Record<string, unknown>, facts: [], ...(item.has_expected && { expected: item.expected }) }));
}

async function requireReadable(author: string, i: TrialRoomIn): Promise<void> {
  const checks = [
    ...(i.output_schema === undefined ? [] : [{ what: 'output_schema', check: { kind: 'schema' as const, schema: i.output_schema } }]),
    ...i.acceptance_criteria.flatMap(({ check }, at) => (check ? [{ what: `acceptance_criteria.${at}.check`, check }] : [])),
  ];
  for (const { what, check } of checks) {
    const why = await unreadable(author, check);
    if (why !== undefined) throw new BadRequest('trial_check_invalid', `${what}: ${why}`);
  }
}
