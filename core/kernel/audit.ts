// Every mutation leaves one audit row, in its own transaction.
import type { Knex } from 'knex';
import { type Actor, type Ctx, personOf } from './ctx.ts';
import { newId } from './ids.ts';
import type { Action } from './policy.ts';
import { storableJson } from './storable.ts';

/** What is noted beside the actions that a rule governs: what runs do for those they work for, and what the platform does by itself. */
export type Step =
  | 'agent.back_in_service'
  | 'agent.changed_elsewhere'
  | 'agent.generate'
  | 'agent.out_of_service'
  | 'agent.restart'
  | 'agent.uninstall'
  | `agent_auth.${'refresh' | 'refused'}`
  | 'agent_session.end'
  | 'agent_session.exchange'
  | 'artifact.write'
  | 'dag.start'
  | `dag.${'cancelled' | 'failed' | 'succeeded'}`
  | `deployment.${'cancelled' | 'failed' | 'live'}`
  | `grant.${'delegate' | 'extend'}`
  | `domain.${'active' | 'failed' | 'suspended'}`
  | `certificate.${'failed' | 'issued' | 'revoked'}`
  | `finding.${'confirm' | 'gone' | 'record' | 'reopen'}`
  | 'handoff.use'
  | 'job.events_archived'
  | 'job.events_removed'
  | `policy.${'ask' | 'deny'}`
  | `patch.${'delete' | 'reject' | 'write'}`
  | `proof.${'ended' | 'failed' | 'passed'}`
  | 'receipt_key.rotate'
  | 'rehearsal.ended'
  | `repair.${'begin' | 'healed' | 'needs_human'}`
  | `review_loop.${'cancelled' | 'failed' | 'succeeded'}`
  | `review.${'errored' | 'failed' | 'passed' | 'warning'}`
  | 'template.propose'
  | 'template.reject'
  | 'run.adopt'
  | 'run.open'
  | 'run.start'
  | `run.${'cancelled' | 'failed' | 'succeeded'}`
  | `trial_run.${'cancelled' | 'failed' | 'succeeded'}`
  | `kernel_run.${'held' | 'violated' | 'stopped'}`
  | 'sandbox.create'
  | 'sandbox.remove'
  | 'schedule.pause'
  | 'session.create'
  | 'session.end'
  | `wait.${'answered' | 'approved' | 'cancelled' | 'denied' | 'expired' | 'open' | 'withdraw'}`;

/** `targetId` is what changed; `details` carries facts, never secrets. */
export async function audit(tx: Knex.Transaction, ctx: Ctx, action: Action | Step, targetId: string, details: Record<string, unknown> = {}): Promise<void> {
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
      return personOf(actor);
    case 'api_token':
      return actor.token_id;
    case 'source_token':
      return actor.token_name;
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
  return actor.kind === 'api_token' || actor.kind === 'source_token' || actor.kind === 'run' ? actor.owner_id : null;
}
