// A look at the DNS and what follows for the domain. Agents that ask for one name are decided on one after
// the other; only the proof decides.
import type { Knex } from 'knex';
import type { Insert } from '#db/table-types.ts';
import type { AgentDomainsRow } from '#db/tables.ts';
import type { DomainState } from '#contract/states.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { domainChanged } from './changed.ts';
import { displayName } from './hostname.ts';
import { type OwnedDomain, type DomainLookup, lookAt } from './look.ts';
import { proofName, proofValue } from './records.ts';
import { moveDomain } from './states.ts';
import { startCertificate, wakeDomain } from './workflows.ts';

/** Looks in a row that did not find the proof of an active domain; then it is suspended. */
const FAILURES = 2;

export interface KnownDomain extends OwnedDomain {
  domain: AgentDomainsRow;
}

export interface Proved {
  state: DomainState;
  look: DomainLookup;
}

/**
 * `daily`: a look that finds no proof counts. `round`: only this round is checked. Undefined: nothing is left
 * to prove.
 */
export async function proveDomain(ctx: Ctx, domainId: string, { daily, round }: { daily: boolean; round?: number }): Promise<Proved | undefined> {
  const isOver = ({ state, round: now }: Pick<AgentDomainsRow, 'state' | 'round'>): boolean =>
    state === 'removed' || state === 'failed' || (round !== undefined && now !== round);
  const owned = await ownedDomain(ctx.db, domainId);
  if (!owned || isOver(owned.domain)) return undefined;
  const look = await lookAt(ctx.drivers.dns, ctx.config, owned);
  // The DNS decides; verify.ts asks who may look.
  return system(ctx, async (ctx) => {
    await lockName(ctx.db, `domain ${owned.domain.hostname}`);
    const domain = await ctx.db('agent_domains').where({ domain_id: domainId }).forUpdate().first();
    if (!domain || isOver(domain)) return undefined;
    const state = await follow(ctx, { ...owned, domain }, look, daily);
    return { state, look };
  });
}

async function follow(ctx: TxCtx, owned: KnownDomain, look: DomainLookup, daily: boolean): Promise<DomainState> {
  const { domain } = owned;
  const now = new Date(ctx.clock());
  // What was found out of the certificate's record stays.
  const seen = { ...Object(domain.seen), ownership: look.ownership, routing: look.routing };
  const noted = { seen: JSON.stringify(seen), looked_at: now };
  const note = (more: Partial<Insert<'agent_domains'>>): Promise<unknown> =>
    ctx
      .db('agent_domains')
      .where({ domain_id: domain.domain_id })
      .update({ ...noted, ...more });

  if (look.ownership.state === 'found') {
    const holder = domain.state === 'active' ? undefined : await holderOf(ctx.db, owned, look);
    if (holder === 'proved') {
      await note({ problem: nameTaken(domain) });
      return late(ctx, owned, now);
    }
    await note({ proved_at: now, failures: 0, problem: look.routing.state === 'found' ? null : notRouted(domain, look) });
    await startCertificate(ctx, domain.domain_id, owned);
    if (domain.state === 'active') return 'active';
    if (holder) await suspend(ctx, holder, 'The proof of another agent is in the DNS now, and that of this one is not');
    await moveDomain(ctx.db, domain.domain_id, 'active');
    await audit(ctx, 'domain.active', { domain: domain.domain_id }, { agent_id: domain.agent_id, hostname: domain.hostname });
    await domainChanged(ctx.db, domain.hostname);
    await wakeDomain(ctx, domain);
    return 'active';
  }
  // Name servers that are silent prove nothing, and refute nothing.
  const failures = domain.failures + (daily && look.ownership.state !== 'unanswered' ? 1 : 0);
  const problem = missing(domain, look);
  await note({ problem, ...(domain.state === 'active' && { failures }) });
  if (domain.state === 'active' && failures >= FAILURES) {
    await suspend(ctx, domain, problem);
    return 'suspended';
  }
  return late(ctx, owned, now);
}

/** The agent that has the name now: `proved`, or its row when its own proof is gone. */
async function holderOf(tx: Knex.Transaction, { domain }: KnownDomain, look: DomainLookup): Promise<AgentDomainsRow | 'proved' | undefined> {
  const holder = await tx('agent_domains').where({ hostname: domain.hostname, state: 'active' }).whereNot({ domain_id: domain.domain_id }).forUpdate().first();
  if (!holder) return undefined;
  const agent = await tx('agents').where({ agent_id: holder.agent_id }).first('owner_id');
  return look.proofs?.includes(proofValue(holder, agent?.owner_id ?? '')) ? 'proved' : holder;
}

/** A domain that is still not proved when its time is over has failed. */
async function late(ctx: TxCtx, { domain }: KnownDomain, now: Date): Promise<DomainState> {
  if (domain.state !== 'pending' || domain.prove_until > now) return domain.state;
  await moveDomain(ctx.db, domain.domain_id, 'failed');
  await audit(ctx, 'domain.failed', { domain: domain.domain_id }, { agent_id: domain.agent_id, hostname: domain.hostname });
  return 'failed';
}

async function suspend(ctx: TxCtx, domain: AgentDomainsRow, problem: string): Promise<void> {
  if (!(await moveDomain(ctx.db, domain.domain_id, 'suspended', { problem }))) return;
  await audit(ctx, 'domain.suspended', { domain: domain.domain_id }, { agent_id: domain.agent_id, hostname: domain.hostname });
  await domainChanged(ctx.db, domain.hostname);
}

export async function ownedDomain(db: Knex, domainId: string): Promise<KnownDomain | undefined> {
  const domain = await db('agent_domains').where({ domain_id: domainId }).first();
  const agent = domain && (await db('agents').where({ agent_id: domain.agent_id }).first('owner_id', 'name'));
  return agent && { domain, ownerId: agent.owner_id, agentName: agent.name };
}

function missing({ hostname }: AgentDomainsRow, { ownership }: DomainLookup): string {
  const where = `the TXT record ${proofName(hostname)}`;
  if (ownership.state === 'unanswered') return `The name servers did not answer for ${where}: check that they are up`;
  return ownership.state === 'missing'
    ? `There is no TXT record ${proofName(hostname)}: add it`
    : `${where} has other values than the one asked for: add that one`;
}

function notRouted({ hostname }: AgentDomainsRow, { routing }: DomainLookup): string {
  const routingProblem =
    { missing: 'has no address', unanswered: 'was not answered for' }[String(routing.state)] ?? `leads to ${routing.values.slice(0, 3).join(', ')}`;
  return `${displayName(hostname)} ${routingProblem}: its visitors do not come here by the DNS. If a proxy of yours stands in front, this is as it should be`;
}

function nameTaken({ hostname }: AgentDomainsRow): string {
  return `Your proof is there, but so is that of another agent which has the name: remove the other value "svc-verify …" at ${proofName(hostname)}`;
}
