// What an agent is given of its visitor's session: it says who came (GET /v1/me) as long as the session
// continues, and opens no door, not even the agent's own. So an agent never holds what its visitor's browser
// holds. `svc_ses_` <token id> "." base64url(HMAC-SHA256 of it)
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import { fromBase64Url } from '#contract/wire/base64url.ts';
import type { Vault } from '#drivers/vault/port.ts';
import type { AgentSessionActor } from '../../kernel/ctx.ts';
import { actorOfSession, findAgentSessionById } from './find.ts';

const PREFIX = 'svc_ses_';
const SHAPE = /^svc_ses_([\w-]{1,128})\.([\w-]{43})$/;

export async function agentsView(vault: Vault, tokenId: string): Promise<string> {
  const signature = await mac(vault, tokenId);
  return `${PREFIX}${tokenId}.${signature.toString('base64url')}`;
}

/** Other tokens of ours have no dot, or another prefix. */
export function isAgentsView(token: string): boolean {
  return token.startsWith(PREFIX) && token.includes('.');
}

/** Undefined when we did not make it, or the session is over. */
export async function viewActor({ db, vault, clock }: { db: Knex; vault: Vault; clock: () => number }, token: string): Promise<AgentSessionActor | undefined> {
  const tokenId = await readView(vault, token);
  const session = tokenId === undefined ? undefined : await findAgentSessionById(db, tokenId, clock());
  return session && actorOfSession(session, 'agent');
}

/** The session's token id. */
export async function readView(vault: Vault, token: string): Promise<string | undefined> {
  const [, tokenId, signature] = SHAPE.exec(token) ?? [];
  if (tokenId === undefined || signature === undefined) return undefined;
  const given = fromBase64Url(signature);
  const due = await mac(vault, tokenId);
  return given?.length === due.length && timingSafeEqual(given, due) ? tokenId : undefined;
}

async function mac(vault: Vault, tokenId: string): Promise<Buffer> {
  return createHmac('sha256', await vault.derive('agent-session-views'))
    .update(tokenId)
    .digest();
}
