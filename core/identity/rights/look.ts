// Whether claims still hold, for many in one query. Rights are decided by the rules that decided when the
// connection was opened; only the facts are new.
import type { Knex } from 'knex';
import type { OrganizationRole } from '#contract/states.ts';
import type { Actor } from '../../kernel/ctx.ts';
import { type DomainError, Forbidden, NotFound, Unauthorized } from '../../kernel/errors.ts';
import { may } from '../../kernel/policy.ts';
import { openRunStates } from '../../kernel/run-state.ts';
import { meetsDemand, type SsoDemand, ssoRequired } from '../../kernel/sso.ts';
import { claimRow, type Claim } from './claim.ts';

interface Facts extends SsoDemand {
  i: number;
  /** What it came by has not ended. */
  holds: boolean;
  suspended: boolean;
  operator: boolean | null;
  /** Whose it is, as the database has it. */
  person: string | null;
  organization_slug: string | null;
  role: OrganizationRole | null;
  made_by: string | null;
  signed_in_at: Date | null;
  owner_id: string | null;
  visibility: 'public' | 'unlisted' | null;
  run_open: boolean | null;
  run_sealed: boolean;
  run_serves: boolean;
}

const COLUMNS =
  'i integer, sign_in text, source text, scim text, tunnel text, model text, share text, person text, account text, agent text, run text, run_agent text, run_deploy text';

const SQL = `
  select c.i, s.person,
    coalesce(sign_in_holds(c.sign_in)
      and (c.source is null or (t.revoked_at is null and t.expires_at > now() and sign_in_holds(t.opened_by)))
      and (c.scim is null or exists (select 1 from scim_tokens x where x.token_id = c.scim and x.revoked_at is null and (x.expires_at is null or x.expires_at > now())))
      and (c.tunnel is null or exists (select 1 from dev_box_sessions b where b.session_id = c.tunnel))
      and (c.model is null or exists (select 1 from llm_grants l where l.key_hash = c.model and l.expires_at > now()))
      and (c.share is null or not exists (
        with recursive up as (select g.grant_id, g.parent_grant_id, g.revoked_at from grants g where g.grant_id = c.share
          union all select p.grant_id, p.parent_grant_id, p.revoked_at from grants p join up on p.grant_id = up.parent_grant_id)
        select 1 from up where revoked_at is not null)), false) as holds,
    exists (select 1 from control_policies p where p.suspended and p.user_id in (s.person, c.account, a.owner_id)) as suspended,
    u.operator, o.slug as organization_slug, m.role, d.connection_id as demanded_connection_id, d.session_hours as demanded_hours,
    coalesce(w.sso_connection_id, k.sso_connection_id) as made_by, coalesce(w.signed_in_at, k.signed_in_at) as signed_in_at,
    a.owner_id, a.visibility,
    (select r.state in (${openRunStates}) from runs r where r.run_id = c.run) as run_open,
    exists (select 1 from receipts x where x.run_id = c.run) as run_sealed,
    exists (select 1 from instances x join agents y using (agent_id)
      where x.deploy_id = c.run_deploy and x.agent_id = c.run_agent and x.state in ('starting', 'serving', 'draining') and y.deleted_at is null) as run_serves
  from jsonb_to_recordset(:claims::jsonb) as c(${COLUMNS})
  left join source_tokens t on t.token_name = c.source
  cross join lateral (select coalesce(c.person, t.person_id) as person, coalesce(c.sign_in, t.opened_by) as sign_in) s
  left join web_sessions w on w.session_id = s.sign_in
  left join platform_tokens k on k.token_id = s.sign_in
  left join users u on u.user_id = s.person
  left join organizations o on o.organization_id = c.account
  left join organization_members m on m.organization_id = c.account and m.user_id = s.person and m.state = 'active'
  left join sso_connections d on d.organization_id = c.account and d.required
  left join agents a on a.agent_id = c.agent and a.deleted_at is null`;

/** For each claim why it does not hold any more; undefined: it holds. */
export async function lookAtRights(db: Knex, claims: readonly Claim[], now: number): Promise<(DomainError | undefined)[]> {
  const given = JSON.stringify(claims.map((claim, i) => ({ i, ...claimRow(claim) })));
  const { rows } = await db.raw<{ rows: Facts[] }>(SQL, { claims: given }).options({ name: 'rights' });
  const byNumber = new Map(rows.map((row) => [row.i, row]));
  return claims.map((claim, i) => {
    const facts = byNumber.get(i);
    return facts === undefined ? ended() : verdict(claim, facts, now);
  });
}

function verdict(claim: Claim, facts: Facts, now: number): DomainError | undefined {
  const { actor, use } = claim;
  if (!facts.holds) return actor.kind === 'run' ? runEnded() : ended();
  if (facts.suspended) return new Forbidden('account_suspended', 'An operator has suspended this account: ask the operators of this installation');
  if (actor.kind === 'run' && !runGoesOn(facts, claim.expiresAt, now)) return runEnded();
  if (actor.kind === 'user' && actor.operator && facts.operator !== true)
    return new Forbidden('operator_required', 'Only an operator of the platform may do this: ask one');
  const asMember =
    actor.kind === 'source_token' ? facts.person !== null && facts.organization_slug !== null : actor.kind === 'user' && actor.member !== undefined;
  if (asMember) {
    const refused = refusalOfMember(actor, facts);
    if (refused) return refused;
  }
  if (use === undefined) return asMember && actor.kind === 'user' && actor.member?.role !== facts.role ? changed() : undefined;
  if (facts.owner_id === null) return gone();
  return may(asNow(actor, facts), use.action, { owner: facts.owner_id, agent: use.agentId, listed: facts.visibility === 'public' }) ? undefined : gone();
}

/**
 * Removed, suspended, with a role that does not allow it, or signed in otherwise than the organization
 * demands.
 */
function refusalOfMember(actor: Actor, facts: Facts): DomainError | undefined {
  const { role, organization_slug: slug } = facts;
  if (role === null)
    return new Forbidden('organization_not_yours', `You are not an active member of an organization ${slug ?? ''}: ask one of its admins to invite you`);
  const { made_by, signed_in_at } = facts;
  const ofActor = actor.kind === 'user' ? actor.sso : undefined;
  const proof = made_by === null || signed_in_at === null ? ofActor : { connection_id: made_by, at: signed_in_at.getTime() };
  if (!meetsDemand(proof, facts)) return ssoRequired({ slug: slug ?? '', role });
  if (actor.kind !== 'source_token' || facts.person === null || facts.organization_slug === null) return undefined;
  // Who could not have made it any more does not use it either.
  const person = { kind: 'user', email: '', operator: false, via: 'bearer', user_id: actor.owner_id } as const;
  const member = { member_id: '', organization_id: actor.owner_id, slug: facts.organization_slug, role, person_id: facts.person };
  return may({ ...person, member }, 'source_token.create', { owner: actor.owner_id }) ? undefined : changed();
}

function asNow(actor: Actor, { role }: Facts): Actor {
  if (actor.kind !== 'user' || actor.member === undefined || role === null) return actor;
  return { ...actor, member: { ...actor.member, role } };
}

/** As openRun decides it. */
function runGoesOn({ run_serves, run_open, run_sealed }: Facts, expiresAt: number | undefined, now: number): boolean {
  if (!run_serves || run_open === false) return false;
  return run_open === true || (!run_sealed && (expiresAt ?? Infinity) > now);
}

function ended(): Unauthorized {
  return new Unauthorized('token_invalid', 'The sign-in or token that this was opened with has ended: sign in again');
}

function runEnded(): Unauthorized {
  return new Unauthorized('run_credential_invalid', 'this run credential is unknown, expired, or of a run that has ended');
}

function changed(): Forbidden {
  return new Forbidden('role_not_allowed', 'Your role in the organization has changed: connect again');
}

function gone(): NotFound {
  return new NotFound('agent_not_found', 'there is no agent at this address that you can reach');
}
