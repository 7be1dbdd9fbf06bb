// What tests of custom domains stand on: a name server of their own, a platform that asks it, and a name that
// was proved.
import type { Knex } from 'knex';
import type { Ctx } from '#core/kernel/ctx.ts';
import type { Drivers } from '#core/kernel/drivers.ts';
import { newId } from '#core/kernel/ids.ts';
import { dnsResolver } from '#drivers/dns/resolver.ts';
import type { DnsResolver } from '#drivers/dns/port.ts';
import type { Vault } from '#drivers/vault/port.ts';
import { testDns, type TestDns } from './dns.ts';
import { addAgent, addUser, testCtx, type TestAgent, userActor } from './verbs.ts';

/** Where custom domains have to lead. */
export const HERE = '203.0.113.7';

export interface DomainNames {
  dns: TestDns;
  /** Asks it. */
  resolver: DnsResolver;
}

export async function domainNames(): Promise<DomainNames> {
  const dns = await testDns();
  return { dns, resolver: dnsResolver({ servers: [dns.address], timeoutMs: 1_000 }) };
}

export interface DomainTenant {
  ctx: Ctx;
  agent: TestAgent;
}

/** A person with a live agent. */
export async function domainTenant(
  db: Knex,
  { resolver }: DomainNames,
  { name, certificates, ...more }: { name: string; clock: () => number; vault?: Vault } & Partial<Drivers>,
): Promise<DomainTenant> {
  const user = await addUser(db, name);
  const ctx = testCtx(db, { actor: userActor(user, name), dns: resolver, ...more });
  return {
    ctx: { ...ctx, config: { ...ctx.config, domains: { targets: [HERE], https: true } }, drivers: { ...ctx.drivers, certificates } },
    agent: await addAgent(db, user, { live: true }),
  };
}

/** Proved, whatever the name server says. */
export async function activeDomain(db: Knex, agentId: string, hostname: string): Promise<string> {
  const domain_id = newId('dom');
  await db('agent_domains').insert({ domain_id, agent_id: agentId, hostname, state: 'active', nonce: domain_id, prove_until: new Date() });
  return domain_id;
}
