// What evidence is judged by: rows of the platform about one organization, read now.
import type { Knex } from 'knex';
import type { RiskTier } from '#contract/states.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { asksPeople } from '../profile/approvals.ts';
import { compliancePolicy } from '../policy/read.ts';
import { hydrate } from '../records/hydrate.ts';
import { recordKeys } from '../records/read.ts';
import { verifier } from '../records/verify.ts';

const DAY_MS = 86_400_000;
/** Tests, exports: how old they may be. */
const RECENT_DAYS = 90;
const VERIFIED = 20;
const MAX_AGENTS = 5_000;

export interface AgentComplianceFacts {
  name: string;
  live: boolean;
  listed: boolean;
  called: boolean;
  risk_tier: RiskTier;
  intended_purpose: string;
  human_oversight: string;
  documented: boolean;
  reviewed: boolean;
  tested: boolean;
  monitored: boolean;
  critical: boolean;
  needs_human: boolean;
}

export interface ComplianceFacts {
  agents: AgentComplianceFacts[];
  policy: Awaited<ReturnType<typeof compliancePolicy>>;
  asks_people: boolean;
  limited: boolean;
  receipts: { looked_at: number; invalid: string[] };
  enforced_at: Date | null;
  exported_at: Date | null;
  administrators: number;
  auditors: number;
  audited: boolean;
  now: number;
}

export async function complianceFacts(ctx: Ctx, organizationId: string): Promise<ComplianceFacts> {
  const { db } = ctx;
  const now = ctx.clock();
  const of = { organizationId, since: new Date(now - RECENT_DAYS * DAY_MS) };
  const { rows: agents } = await db.raw<{ rows: AgentComplianceFacts[] }>(AGENTS, { ...of, limit: MAX_AGENTS });
  const { rows } = await db.raw<{ rows: [Pick<ComplianceFacts, 'limited' | 'enforced_at' | 'exported_at' | 'administrators' | 'auditors' | 'audited'>] }>(
    REST,
    {
      ...of,
      administrators: ['owner', 'admin'],
    },
  );
  return {
    agents,
    policy: await compliancePolicy(db, organizationId),
    asks_people: await asksPeople(db, organizationId),
    receipts: await lastReceipts(db, organizationId),
    ...rows[0],
    now,
  };
}

async function lastReceipts(db: Knex, organizationId: string): Promise<ComplianceFacts['receipts']> {
  const keys = await recordKeys(db, { kinds: ['skill_execution'], organizationId, limit: VERIFIED });
  const verify = verifier(db, organizationId);
  const invalid: string[] = [];
  // One at a time: each may have a megabyte.
  for (const key of keys)
    for (const { record, token, facts } of await hydrate(db, [key]))
      if (token !== null && (await verify(token, facts)) !== undefined) invalid.push(record.record_id);
  return { looked_at: keys.length, invalid };
}

const AGENTS = `
  select a.name, a.live_deploy_id is not null as live, a.visibility = 'public' as listed, a.call_count > 0 as called,
    coalesce(p.risk_tier, 'unclassified') as risk_tier, coalesce(p.intended_purpose, '') as intended_purpose, coalesce(p.human_oversight, '') as human_oversight,
    a.card is not null and a.description <> '' and cardinality(a.skills) > 0 as documented,
    exists (select 1 from review_runs r where r.deploy_id = a.live_deploy_id and r.state in ('passed', 'warning', 'failed')) as reviewed,
    exists (select 1 from agent_proofs f where f.agent_id = a.agent_id and f.status = 'passed' and f.ended_at > :since)
      or exists (select 1 from evaluations e where e.agent_id = a.agent_id and e.state = 'succeeded' and e.ended_at > :since) as tested,
    exists (select 1 from evaluation_rules u where u.agent_id = a.agent_id and u.enabled) as monitored,
    exists (select 1 from agent_findings g where g.agent_id = a.agent_id and g.state = 'open' and g.severity = 'critical' and g.confirmed) as critical,
    exists (select 1 from agent_repairs h where h.agent_id = a.agent_id and h.deploy_id = a.live_deploy_id and h.state = 'needs_human') as needs_human
  from agents a left join compliance_profiles p using (agent_id)
  where a.owner_id = :organizationId and a.deleted_at is null order by a.name limit :limit`;

const REST = `
  select
    exists (select 1 from policy_rules where owner_id = :organizationId and jsonb_array_length(policies) > 0)
      or exists (select 1 from control_room_policies where user_id = :organizationId) as limited,
    (select max(j.ended_at) from compliance_purges c join jobs j using (job_id) where c.organization_id = :organizationId and j.state = 'succeeded') as enforced_at,
    (select max(j.ended_at) from compliance_exports c join jobs j using (job_id) where c.organization_id = :organizationId and j.state = 'succeeded') as exported_at,
    (select count(*)::int from organization_members where organization_id = :organizationId and state = 'active' and role = any(:administrators)) as administrators,
    (select count(*)::int from organization_members where organization_id = :organizationId and state = 'active' and role = 'auditor') as auditors,
    exists (select 1 from audit_log where owner_id = :organizationId) as audited`;
