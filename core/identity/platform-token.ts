// Tokens the platform itself issued: found by hash, so that what is stored opens nothing.
import type { Knex } from 'knex';
import type { Actor } from '../kernel/ctx.ts';
import { hashSecret } from '../kernel/secret.ts';
import { PROOF, type ProofRow, proofOf, SSO_OF } from '../kernel/sso.ts';
import { actorOfSession, findAgentSessionById } from './agent-session/find.ts';
import { markUsed } from './mark-used.ts';

/**
 * Undefined when unknown, revoked or expired, or not for this place. `query`: an address may hold only a
 * token of one agent, and no link for headers.
 */
export async function platformTokenActor(db: Knex, token: string, now: number, place: 'header' | 'query' = 'header'): Promise<Actor | undefined> {
  const hash = hashSecret(token);
  const inQuery = `t.kind = 'agent_api' and t.placement is distinct from 'header'`;
  const row = await db('platform_tokens as t')
    .leftJoin('users as u', 'u.user_id', 't.user_id')
    .leftJoin(...SSO_OF)
    .where('t.token_hash', hash)
    .whereNull('t.revoked_at')
    .whereRaw('sign_in_holds(t.opened_by)')
    .whereRaw(place === 'query' ? inQuery : 'true')
    .andWhere((query) => query.whereNull('t.expires_at').orWhere('t.expires_at', '>', new Date(now)))
    .first(
      't.token_id',
      't.kind',
      't.agent_id',
      't.label',
      't.skills',
      't.routes',
      't.last_used_at',
      ...PROOF,
      'u.user_id',
      'u.email',
      'u.operator',
      'u.kind as account_kind',
    );
  if (!row) return undefined;
  await markUsed(db, 'platform_tokens', { token_hash: hash }, now, row.last_used_at);
  const actor = actorOf(row);
  if (actor?.kind !== 'agent_session' || proofOf(row)?.limited_to === undefined) return actor;
  const session = await findAgentSessionById(db, row.token_id, now);
  return session && actorOfSession(session, 'person');
}

interface TokenRow extends ProofRow {
  token_id: string;
  kind: string;
  agent_id: string | null;
  label: string;
  skills: string[] | null;
  routes: string[] | null;
  user_id: string | null;
  email: string | null;
  operator: boolean | null;
  account_kind: string | null;
}

function actorOf(row: TokenRow): Actor | undefined {
  if (row.kind === 'platform') {
    const answers = row.user_id === null ? {} : { user_id: row.user_id };
    return { kind: 'platform', service: row.label, token_id: row.token_id, ...answers, ...(row.routes === null ? {} : { routes: row.routes }) };
  }
  if (row.user_id === null || row.email === null) return undefined;
  // An organization has no sign-in.
  if (row.kind === 'user' && row.account_kind !== 'person') return undefined;
  const proof = proofOf(row);
  if (!proof) return undefined;
  // An organization vouches for whom it lets in, and makes no operators.
  const operator = row.operator === true && proof.sso === undefined;
  if (row.kind === 'user') return { kind: 'user', user_id: row.user_id, email: row.email, operator, via: 'bearer', sign_in: row.token_id, ...proof };
  if (row.agent_id === null) return undefined;
  if (row.kind === 'agent_session')
    return { kind: 'agent_session', token_id: row.token_id, agent_id: row.agent_id, user_id: row.user_id, email: row.email, held_by: 'person' };
  // It calls one agent, on the account of the user it was made for.
  const skills = row.skills === null ? {} : { skills: row.skills };
  return { kind: 'api_token', token_id: row.token_id, agent_id: row.agent_id, owner_id: row.user_id, ...skills };
}
