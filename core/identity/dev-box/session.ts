// Whom a tunnel's token lets in: to one box, for a few minutes, as long as box, agent, account and the person
// who asked for it are what they were.
import type { Knex } from 'knex';
import type { Ctx, UserActor } from '../../kernel/ctx.ts';
import { Unauthorized } from '../../kernel/errors.ts';
import { hashSecret } from '../../kernel/secret.ts';
import type { Claim } from '../rights/claim.ts';
import { lookAtRights } from '../rights/look.ts';

export interface TunnelSession {
  session_id: string;
  box_id: string;
  owner_id: string;
  agent_name: string;
  host_key_sealed: string;
  /** The one key that its SSH takes. */
  public_key: string;
  /** On what it stands, for as long as a tunnel is open. */
  claim: Claim;
}

/** @throws Unauthorized token_invalid: the same for every reason */
export async function tunnelSession(ctx: Pick<Ctx, 'db' | 'clock'>, { name, token }: { name: string; token: string }): Promise<TunnelSession> {
  const row: Row | undefined = await ctx
    .db('dev_box_sessions as s')
    .join('dev_boxes as b', 'b.box_id', 's.box_id')
    .join('agents as a', 'a.agent_id', 'b.agent_id')
    .leftJoin('organizations as o', 'o.organization_id', 'b.owner_id')
    .where({ 's.token_hash': hashSecret(token), 'a.name': name })
    .where('s.expires_at', '>', new Date(ctx.clock()))
    .whereNull('a.deleted_at')
    .whereRaw('a.owner_id = b.owner_id and s.user_id = b.owner_id')
    .first(
      ...(['s.session_id', 's.box_id', 's.public_key', 's.person_id', 's.opened_by', 'b.owner_id', 'b.host_key_sealed'] as const),
      ...(['a.agent_id', 'a.name as agent_name', 'o.organization_id', 'o.slug'] as const),
    );
  if (!row) throw refused();
  const claim = claimOf(row);
  const [why] = await lookAtRights(ctx.db, [claim], ctx.clock());
  if (why) throw refused();
  return { ...row, claim };
}

/** Their tunnels are open now. */
export async function markTunnels(db: Knex, sessionIds: readonly string[], now: number): Promise<void> {
  await db('dev_box_sessions')
    .whereIn('session_id', sessionIds)
    .update({ last_used_at: new Date(now) });
}

interface Row extends Omit<TunnelSession, 'claim'> {
  person_id: string | null;
  opened_by: string | null;
  agent_id: string;
  organization_id: string | null;
  slug: string | null;
}

function claimOf({ session_id, person_id, opened_by, owner_id, agent_id, organization_id, slug }: Row): Claim {
  const actor: UserActor = { kind: 'user', user_id: owner_id, email: '', operator: false, via: 'bearer', ...(opened_by !== null && { sign_in: opened_by }) };
  // Their role is looked up, as at every look.
  const member = { member_id: '', organization_id: owner_id, slug: slug ?? '', role: 'billing' as const, person_id: person_id ?? '' };
  return { actor: organization_id === null ? actor : { ...actor, member }, use: { agentId: agent_id, action: 'dev_box.open' }, tunnel: session_id };
}

function refused(): Unauthorized {
  return new Unauthorized('token_invalid', 'This token opens no tunnel to a dev box of this agent: ask for another');
}
