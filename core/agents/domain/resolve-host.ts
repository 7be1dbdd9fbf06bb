// Which agent answers at a custom domain, and with what certificate.
import type { Knex } from 'knex';
import type { Ctx } from '../../kernel/ctx.ts';
import { candidates, isWildcard } from './hostname.ts';

export interface CustomHost {
  agentName: string;
  /** Whether a certificate of ours is served for it. */
  certified: boolean;
}

export interface ServingCertificate {
  certificateId: string;
  chain: string;
  /** PEM. */
  key: string;
}

export function certificateKeyContext(certificateId: string): string {
  return `domain_certificates/${certificateId}/key`;
}

interface Row {
  agent_name: string;
  certificate_id: string | null;
  chain: string | null;
  key_sealed: string | null;
}

/**
 * `host`: as hostName gives it. The name itself goes before a wildcard, also where the two are of different
 * accounts.
 */
export async function resolveHost(db: Knex, host: string): Promise<CustomHost | undefined> {
  const row = await find(db, host);
  return row && { agentName: row.agent_name, certified: row.certificate_id !== null };
}

export async function servingCertificate(ctx: Pick<Ctx, 'db' | 'drivers'>, host: string): Promise<ServingCertificate | undefined> {
  const row = await find(ctx.db, host);
  if (!row || row.certificate_id === null || row.chain === null || row.key_sealed === null) return undefined;
  const key = await ctx.drivers.vault.open(row.key_sealed, certificateKeyContext(row.certificate_id));
  return { certificateId: row.certificate_id, chain: row.chain, key: Buffer.from(key).toString() };
}

/** Another agent's wildcard certificate never serves a name that is this agent's. */
async function find(db: Knex, host: string): Promise<Row | undefined> {
  const names = candidates(host);
  const exactFirst = (one: { hostname: string }, two: { hostname: string }): number => Number(isWildcard(one.hostname)) - Number(isWildcard(two.hostname));
  const rows = await db('agent_domains as d')
    .join('agents as a', 'a.agent_id', 'd.agent_id')
    .leftJoin('domain_certificates as c', (join) => void join.on('c.domain_id', 'd.domain_id').andOnVal('c.state', 'issued'))
    .whereIn('d.hostname', names)
    .where({ 'd.state': 'active' })
    .whereNull('a.deleted_at')
    .select('d.hostname', 'd.agent_id', 'a.name as agent_name', 'c.certificate_id', 'c.chain', 'c.key_sealed');
  const [owner, ...others] = rows.sort(exactFirst);
  if (!owner) return undefined;
  return owner.certificate_id === null ? { ...owner, ...others.find((other) => other.agent_id === owner.agent_id) } : owner;
}
