// Every mutation leaves one audit row, in its own transaction.
import type { Knex } from 'knex';
import type { Actor, Ctx } from './ctx.ts';
import { newId } from './ids.ts';
import { storableJson } from './storable.ts';

/** `action` is `<concept>.<verb>`, `targetId` what changed; `details` carries facts, never secrets. */
export async function audit(tx: Knex.Transaction, ctx: Ctx, action: string, targetId: string, details: Record<string, unknown> = {}): Promise<void> {
  await tx('audit_log').insert({
    audit_id: newId('aud', ctx.clock()),
    actor_kind: ctx.actor.kind,
    actor_id: actorId(ctx.actor),
    owner_id: ownerId(ctx.actor),
    action,
    target_id: targetId,
    request_id: ctx.requestId,
    details: storableJson(details),
  });
}

export function actorId(actor: Actor): string | null {
  switch (actor.kind) {
    case 'user':
      return actor.user_id;
    case 'api_token':
      return actor.token_id;
    case 'agent_session':
      return actor.user_id;
    case 'platform':
      return actor.service;
    case 'run':
      return actor.agent_name;
    case 'anonymous':
      return null;
  }
}

function ownerId(actor: Actor): string | null {
  if (actor.kind === 'user' || actor.kind === 'agent_session') return actor.user_id;
  return actor.kind === 'api_token' || actor.kind === 'run' ? actor.owner_id : null;
}
