// Every mutation leaves one audit row, in its own transaction.
import type { StudioState } from '#contract/states.ts';
import { type Actor, personOf, type TxCtx } from './ctx.ts';
import type { SubscriptionState } from '#contract/states.ts';
import { newId } from './ids.ts';
import type { Action } from './policy.ts';
import { storableJson } from './storable.ts';
import { noteAudit } from './verb.ts';

/**
 * What is noted beside the actions that a rule governs: what runs do for those they work for, and what the
 * platform does automatically.
 */
export type Step =
  | 'agent.back_in_service'
  | 'agent.changed_elsewhere'
  | 'agent.generate'
  | 'agent.machine_lost'
  | 'agent.out_of_service'
  | 'agent.restart'
  | 'agent.uninstall'
  | `agent_auth.${'refresh' | 'refused'}`
  | 'agent_session.end'
  | 'agent_session.exchange'
  | `approval.${'decide' | 'end_delegation' | 'escalate'}`
  | 'artifact.write'
  | 'task.push_set'
  | 'task.push_removed'
  | `compliance.${'export_ended' | 'purge_ended'}`
  | 'dag.start'
  | `dag.${'cancelled' | 'failed' | 'succeeded'}`
  | `deployment.${'cancelled' | 'failed' | 'live'}`
  | `grant.${'delegate' | 'extend'}`
  | `database.${'allowance' | 'deleted' | 'failed' | 'ready' | 'rotated'}`
  | `domain.${'active' | 'failed' | 'suspended'}`
  | `certificate.${'failed' | 'issued' | 'revoked'}`
  | `finding.${'confirm' | 'gone' | 'record' | 'reopen'}`
  | 'handoff.use'
  | 'job.events_archived'
  | 'job.events_removed'
  | `payout.${'failed' | 'paid' | 'reversed' | 'stray'}`
  | 'payout.night'
  | `policy.${'ask' | 'deny'}`
  | `patch.${'delete' | 'reject' | 'write'}`
  | `proof.${'ended' | 'failed' | 'passed'}`
  | `organization.${'ask_to_join' | 'claim_domain' | 'invite' | 'member' | 'release_domain' | 'remove_member' | 'update'}`
  | `organization.sso_${'break_glass' | 'connect' | 'link' | 'remove' | 'require' | 'sign_in'}`
  | `organization.domain_${'lapsed' | 'verified'}`
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
  | `scim_member.${'invite' | 'remove' | 'restore' | 'role' | 'suspend' | 'uninvite'}`
  | 'session.create'
  | 'session.end'
  | `subscription.${SubscriptionState | 'duplicate' | 'unpaid'}`
  | `top_up.${'given_back' | 'paid' | 'taken_back'}`
  | `wait.${'answered' | 'approved' | 'cancelled' | 'denied' | 'expired' | 'open' | 'withdraw'}`
  | 'studio.guest_run'
  | `studio_run.${StudioState}`;

/** What an audit row is about. */
type Entity =
  | 'agent'
  | 'agent_api_token'
  | 'agent_session'
  | 'approval_delegation'
  | 'artifact'
  | 'bounty'
  | 'brain_artifact'
  | 'brain_change'
  | 'brain_dispatch'
  | 'brain_feedback'
  | 'certificate'
  | 'chat_turn'
  | 'cli_session'
  | 'dag_run'
  | 'database'
  | 'deployment'
  | 'dev_box'
  | 'domain'
  | 'evaluation'
  | 'feature_flag'
  | 'file'
  | 'finding'
  | 'grant'
  | 'guest_run'
  | 'integration_link'
  | 'job'
  | 'llm_credential'
  | 'llm_grant'
  | 'mailbox'
  | 'member'
  | 'meta_run'
  | 'organization'
  | 'organization_domain'
  | 'patch'
  | 'payout_run'
  | 'plan'
  | 'plan_checkout'
  | 'platform_token'
  | 'proof'
  | 'proposal'
  | 'protocol'
  | 'receipt'
  | 'receipt_key'
  | 'repair'
  | 'review'
  | 'run'
  | 'sandbox'
  | 'schedule'
  | 'scim_group'
  | 'scim_token'
  | 'scim_user'
  | 'service_token'
  | 'session'
  | 'setting'
  | 'sign_in'
  | 'source_token'
  | 'sso_connection'
  | 'studio_plan'
  | 'studio_run'
  | 'subscription'
  | 'task'
  | 'team_plan'
  | 'thread'
  | 'top_up'
  | 'transfer'
  | 'trial_room'
  | 'trial_run'
  | 'user'
  | 'wait'
  | 'web_session'
  | 'worker_build';

/** One entity by its id: `{ agent: 'agt_…' }`. */
export type Target = { [E in Entity]: Readonly<Record<E, string>> }[Entity];

/**
 * `after` says what is true of the target from now on, and where it helps, what was: facts, never secrets or
 * contents, as nothing is taken out of an organization's chain again. `organizationId`: in whose log it is,
 * where that is not the account that is acted for. An organization's rows are signed into its chain soon
 * after the commit (core/orgs/audit).
 */
export async function audit(
  ctx: Pick<TxCtx, 'actor' | 'clock' | 'requestId' | 'db'>,
  action: Action | Step,
  target: Target,
  after: Record<string, unknown> = {},
  organizationId?: string,
): Promise<void> {
  // Safe: a target has exactly one member.
  const [[target_type, target_id]] = Object.entries(target) as [[string, string]];
  const row = {
    audit_id: newId('aud', ctx.clock()),
    actor_kind: ctx.actor.kind,
    actor_id: actorId(ctx.actor),
    owner_id: ownerId(ctx.actor),
    action,
    target_type,
    target_id,
    request_id: ctx.requestId,
    details: storableJson(after),
    organization_id: organizationId ?? null,
  };
  await ctx.db.raw(
    `insert into audit_log (audit_id, actor_kind, actor_id, owner_id, action, target_type, target_id, request_id, details, organization_id)
     values (:audit_id, :actor_kind, :actor_id, :owner_id, :action, :target_type, :target_id, :request_id, :details,
       coalesce(:organization_id, (select organization_id from organizations where organization_id = :owner_id)))`,
    row,
  );
  noteAudit();
}

export function actorId(actor: Actor): string | null {
  switch (actor.kind) {
    case 'user':
      return personOf(actor);
    case 'api_token':
      return actor.token_id;
    case 'source_token':
      return actor.token_name;
    case 'org_scim':
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
  if (actor.kind === 'org_scim') return actor.organization_id;
  return actor.kind === 'api_token' || actor.kind === 'source_token' || actor.kind === 'run' ? actor.owner_id : null;
}
