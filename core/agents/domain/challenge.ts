// What the certificate authority looks for before it issues.
import { z } from 'zod';
import type { Knex } from 'knex';
import { baseOf, candidates } from './hostname.ts';

/** As a certificate's row keeps it. */
export const Challenge = z.object({ type: z.enum(['http-01', 'dns-01']), url: z.string(), token: z.string(), value: z.string() });

/** RFC 8555, 8.3. */
export const CHALLENGE_PREFIX = '/.well-known/acme-challenge/';
const TOKEN = /^[\w-]{1,200}$/;

/** Of the text record (RFC 8555, 8.4). */
export function challengeName(hostname: string): string {
  return `_acme-challenge.${baseOf(hostname)}`;
}

/** What the authority reads at a domain; undefined where no open order of that very domain asks for it. */
export async function challengeAnswer(db: Knex, host: string, token: string): Promise<string | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const row = await db('domain_certificates as c')
    .join('agent_domains as d', 'd.domain_id', 'c.domain_id')
    .where({ 'c.challenge_token': token, 'c.state': 'ordered', 'd.state': 'active' })
    .whereIn('d.hostname', candidates(host))
    .first('c.challenge');
  const challenge = Challenge.safeParse(row?.challenge).data;
  return challenge?.type === 'http-01' ? challenge.value : undefined;
}
