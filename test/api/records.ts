// Records of one person for every path parameter that a route names, and valid calls: by area.
import type { Ctx } from '#core/kernel/ctx.ts';
import { userActor, type TestAgent } from '../support/verbs.ts';
import { agentsRecords } from './records/agents.ts';
import type { AreaRecords, Owner, ValidCall } from './records/area.ts';
import { complianceRecords } from './records/compliance.ts';
import { databaseRecords } from './records/databases.ts';
import { evidenceRecords } from './records/evidence.ts';
import { identityRecords } from './records/identity.ts';
import { moneyRecords } from './records/money.ts';
import { orgsRecords } from './records/orgs.ts';
import { platformRecords } from './records/platform.ts';
import { policyRecords } from './records/policy.ts';
import { qualityRecords } from './records/quality.ts';
import { runsRecords } from './records/runs.ts';
import { scimRecords } from './records/scim.ts';
import { studioRecords } from './records/studio.ts';
import { workspaceRecords } from './records/workspace.ts';

export interface Records {
  /** By the name of the path parameter, or by `<route>.<parameter>` where a route means another. */
  records: Record<string, string>;
  /** By route: what a valid call says where the schema alone cannot. */
  calls: Record<string, ValidCall>;
  /** A grant of theirs, as the header carries it. */
  grant: string;
}

const AREAS = [
  agentsRecords,
  databaseRecords,
  runsRecords,
  evidenceRecords,
  qualityRecords,
  studioRecords,
  moneyRecords,
  policyRecords,
  orgsRecords,
  complianceRecords,
  scimRecords,
  platformRecords,
];

/** `agent`: theirs, with a live deployment. */
export async function recordsOf(platform: Ctx, userId: string, agent: TestAgent): Promise<Records> {
  const lasting = await lastingRecords(platform, userId, agent);
  return withRecords(lasting, await momentaryRecords(platform, userId, agent));
}

/** Those that are good for minutes. */
export async function lastingRecords(platform: Ctx, userId: string, agent: TestAgent): Promise<Records> {
  const deployment = await platform.db('deployments').where({ agent_id: agent.id }).first('deploy_id');
  const owner: Owner = { ctx: { ...platform, actor: userActor(userId) }, userId, agent, deployId: deployment?.deploy_id ?? '' };
  const { grant, params, calls = {} } = await workspaceRecords(owner);
  let all: Records = { records: params, calls, grant };
  for (const area of AREAS) all = withRecords(all, await area(owner));
  return all;
}

/** Codes that are good for a minute. */
export function momentaryRecords(platform: Ctx, userId: string, agent: TestAgent): Promise<AreaRecords> {
  return identityRecords({ ctx: { ...platform, actor: userActor(userId) }, agent });
}

export function withRecords(all: Records, { params, calls }: AreaRecords): Records {
  return { ...all, records: { ...all.records, ...params }, calls: { ...all.calls, ...calls } };
}
