// Who is behind an agent-origin session.
import type { Knex } from 'knex';
import type { AgentSessionActor, Membership } from '../../kernel/ctx.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { meetsDemand, PROOF, proofOf, SSO_DEMAND, SSO_OF } from '../../kernel/sso.ts';

export interface VisitorSession {
  tokenId: string;
  agentId: string;
  user: { user_id: string; email: string; name: string | null };
  /** As a member of the organization that the agent belongs to. */
  member?: Membership;
  /** They act as that member only: they came from a session that the organization's provider made. */
  limited: boolean;
  expiresAt: Date;
}

/** By the token's hash, only for that agent: undefined when unknown, ended, expired, or another agent's. */
export function findAgentSession(db: Knex, { agentId, token }: { agentId: string; token: string }, now: number): Promise<VisitorSession | undefined> {
  return find(db, { 't.token_hash': hashSecret(token), 't.agent_id': agentId }, now);
}

export function findAgentSessionById(db: Knex, tokenId: string, now: number): Promise<VisitorSession | undefined> {
  return find(db, { 't.token_id': tokenId }, now);
}

async function find(db: Knex, by: Record<string, string>, now: number): Promise<VisitorSession | undefined> {
  const row = await db('platform_tokens as t')
    .join('users as u', 'u.user_id', 't.user_id')
    .leftJoin(...SSO_OF)
    .leftJoin('agents as a', 'a.agent_id', 't.agent_id')
    .leftJoin('organizations as o', 'o.organization_id', 'a.owner_id')
    .leftJoin('organization_members as m', (join) => {
      void join.on('m.organization_id', 'o.organization_id').andOn('m.user_id', 'u.user_id').andOnVal('m.state', 'active');
    })
    .leftJoin('sso_connections as c', (join) => void join.on('c.organization_id', 'o.organization_id').andOnVal('c.required', true))
    .where({ ...by, 't.kind': 'agent_session' })
    .whereNull('t.revoked_at')
    .whereRaw('sign_in_holds(t.opened_by)')
    .where('t.expires_at', '>', new Date(now))
    .whereRaw('not exists (select 1 from control_policies p where p.user_id in (u.user_id, o.organization_id) and p.suspended)')
    .first(
      ...(['t.token_id', 't.agent_id', 't.expires_at', 'u.user_id', 'u.email', 'u.name', ...PROOF] as const),
      ...(['o.organization_id', 'o.slug', 'm.member_id', 'm.role', ...SSO_DEMAND] as const),
    );
  if (!row?.expires_at || !row.agent_id) return undefined;
  const { token_id: tokenId, agent_id: agentId, expires_at: expiresAt, organization_id, slug, member_id, role, user_id, email, name } = row;
  const user = { user_id, email, name };
  const proof = proofOf(row);
  if (!proof) return undefined;
  const { sso, limited_to } = proof;
  const member = member_id === null || !meetsDemand(sso, row) ? undefined : { member_id, organization_id, slug, role, person_id: user.user_id };
  if (limited_to !== undefined && limited_to !== member?.organization_id) return undefined;
  return { tokenId, agentId, user, expiresAt, limited: limited_to !== undefined, ...(member && { member }) };
}

/** `heldBy`: as AgentSessionActor says. */
export function actorOfSession({ tokenId, agentId, user, member, limited }: VisitorSession, heldBy: AgentSessionActor['held_by']): AgentSessionActor {
  const one = { kind: 'agent_session', token_id: tokenId, agent_id: agentId, user_id: user.user_id, email: user.email, held_by: heldBy } as const;
  return limited && member ? { ...one, limited: member } : one;
}
