// Which hosts have an image: it is started where it lies.
import type { Knex } from 'knex';
import type { Ctx } from '../../kernel/ctx.ts';

/** The task queue of a host's worker. */
export const queueOf = (node: string): string => `runtime:${node}`;

export async function noteImage(db: Knex, image: string, node: string): Promise<void> {
  await db('node_images').insert({ image, node }).onConflict(['image', 'node']).ignore();
}

/** Resolves with how many hosts still have it. */
export async function forgetImage(db: Knex, image: string, node: string): Promise<number> {
  await forgetImages(db, [image], node);
  return (await db('node_images').where({ image }).pluck('node')).length;
}

export async function forgetImages(db: Knex, images: readonly string[], node: string): Promise<void> {
  if (images.length > 0) await db('node_images').where({ node }).whereIn('image', images).delete();
}

/**
 * The host to start it on: the asking one, `node`, if it has it, else one whose worker answers, but for those
 * in `without`. Undefined: there is none. Of an image that no host is known to have, the asking one tries.
 */
export async function nodeWith(ctx: Ctx, image: string, { node, without = [] }: { node: string; without?: readonly string[] }): Promise<string | undefined> {
  const nodes = await ctx.db('node_images').where({ image }).orderBy('made_at', 'desc').pluck('node');
  if (nodes.length === 0 || nodes.includes(node)) return node;
  for (const other of nodes) if (!without.includes(other) && (await hasWorker(ctx, other))) return other;
  return undefined;
}

/** Asked for tasks in the last minutes. Of a worker that cannot be asked for, the start itself finds out. */
async function hasWorker({ drivers }: Ctx, node: string): Promise<boolean> {
  const state = await drivers.workflows.queue(queueOf(node)).catch(() => undefined);
  return state === undefined || state.activities.workers > 0;
}
