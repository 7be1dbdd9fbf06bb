// Records of one person for every path parameter that a route names, and valid calls: by area.
import type { Ctx } from '#core/kernel/ctx.ts';
import { userActor, type TestAgent } from '../support/verbs.ts';
import { agentsRecords } from './records/agents.ts';
import type { Owner, ValidCall } from './records/area.ts';
import { complianceRecords } from './records/compliance.ts';
import { databaseRecords } from './records/databases.ts';
import { evidenceRecords } from './records/evidence.ts';
import { identityRecords } from './records/identity.ts';
import { moneyRecords } from './records/money.ts';
import { orgsRecords } from './records/orgs.ts';
import { platformRecords } from './records/platform.ts';
import { policyRecords } from './records/policy.ts';
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
  studioRecords,
  moneyRecords,
  policyRecords,
  identityRecords,
  orgsRecords,
  complianceRecords,
  scimRecords,
  platformRecords,
];

/** `agent`: theirs, with a live deployment. */
export async function recordsOf(platform: Ctx, userId: string, agent: TestAgent): Promise<Records> {
  const deployment = await platform.db('deployments').where({ agent_id: agent.id }).first('deploy_id');
  const owner: Owner = { ctx: { ...platform, actor: userActor(userId) }, userId, agent, deployId: deployment?.deploy_id ?? '' };
  const workspace = await workspaceRecords(owner);
  const all = [workspace];
  for (const area of AREAS) all.push({ ...(await area(owner)), grant: workspace.grant });
  return {
    records: Object.assign({}, ...all.map(({ params }) => params)),
    calls: Object.assign({}, ...all.map(({ calls = {} }) => calls)),
    grant: workspace.grant,
  };
}
