// On what a connection stands: who opened it, by which credential, and what it does. As long as it is open,
// this is looked at again.
import { type Actor, personOf } from '../../kernel/ctx.ts';
import type { Action } from '../../kernel/policy.ts';

export interface Claim {
  actor: Actor;
  /**
   * What is done with which agent; absent: only the credential and the account count, and the role as it was.
   */
  use?: { agentId: string; action: Action };
  /** The session of a dev box by which it came. */
  tunnel?: string;
  /** Hash of the model grant's key by which it came. */
  modelGrant?: string;
  /** The grant of files by which it came. */
  share?: string;
  /** When a run's credential expires, milliseconds since the epoch; absent: with its run. */
  expiresAt?: number;
}

/** As the database gets it; null: not to be looked up. */
type ClaimRow = Record<keyof typeof NOTHING, string | null>;

const NOTHING = {
  sign_in: null,
  source: null,
  scim: null,
  tunnel: null,
  model: null,
  share: null,
  person: null,
  account: null,
  agent: null,
  run: null,
  run_agent: null,
  run_deploy: null,
} as const;

export function claimRow({ actor, use, tunnel, modelGrant, share }: Claim): ClaimRow {
  return { ...NOTHING, ...byActor(actor), agent: use?.agentId ?? null, tunnel: tunnel ?? null, model: modelGrant ?? null, share: share ?? null };
}

function byActor(actor: Actor): Partial<ClaimRow> {
  switch (actor.kind) {
    case 'user':
      return { sign_in: actor.sign_in ?? null, person: personOf(actor), account: actor.user_id };
    case 'api_token':
      return { sign_in: actor.token_id, account: actor.owner_id };
    case 'agent_session':
      return { sign_in: actor.token_id, person: actor.user_id };
    case 'source_token':
      return { source: actor.token_name, account: actor.owner_id };
    case 'org_scim':
      return { scim: actor.token_id, account: actor.organization_id };
    case 'platform':
      return { sign_in: actor.token_id ?? null };
    case 'run':
      return { run: actor.run_id, run_agent: actor.agent_id, run_deploy: actor.deploy_id, person: actor.user_id, account: actor.owner_id };
    case 'anonymous':
      return {};
  }
}
