// Ends a stream that a user reads for an organization when the user may no longer act for it: removed, suspended, or with another role.
import type { ServerResponse } from 'node:http';
import type { Knex } from 'knex';
import { memberActor } from '#core/kernel/acting.ts';
import type { Actor } from '#core/kernel/ctx.ts';
import { Forbidden } from '#core/kernel/errors.ts';

const EVERY_MS = 1_000;

/** Undefined: nothing of the kind ends it. */
export function membershipEnds(db: Knex, actor: Actor, response: ServerResponse): AbortSignal | undefined {
  if (actor.kind !== 'user' || actor.member === undefined) return undefined;
  const { organization_id, role } = actor.member;
  const ended = new AbortController();
  const look = async (): Promise<void> => {
    const now = await memberActor(db, actor, { organization_id }).catch((error: unknown) => {
      // The session is too old by now, or the organization demands another.
      if (error instanceof Forbidden) return undefined;
      throw error;
    });
    if (now?.member.role !== role) ended.abort();
  };
  // A database that does not answer ends nothing: the next look does.
  const timer = setInterval(() => void look().catch(() => undefined), EVERY_MS).unref();
  response.once('close', () => clearInterval(timer));
  ended.signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return ended.signal;
}
