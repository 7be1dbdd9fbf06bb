// What clients of ours ask beside the API that the specification lists.
import { agentUptime } from './deploys/agent-uptime.ts';
import { allowedOrigins } from './agents/allowed-origins.ts';
import { callerScopes } from './agents/caller-scopes.ts';
import { databaseParts } from './agents/database-parts.ts';
import { deploymentCards } from './deploys/deployment-cards.ts';
import { sourceEditor } from './deploys/source-editor.ts';
import { proofDetail } from './quality/agent-proofs.ts';
import { signIns } from './identity/sign-ins.ts';
import { organizationSettings } from './orgs/organization-settings.ts';
import { organizationSso, sso } from './orgs/sso.ts';
import { complianceExports } from './orgs/compliance.ts';
import { topUps } from './money/credits.ts';
import { testMoney } from './money/test-money.ts';
import { policyRules } from './policy/policy-rules.ts';
import { evaluations } from './quality/evaluations.ts';
import { installation } from './platform/installation.ts';
import { policyDenials } from './overview/control-room.ts';
import { payoutStatements } from './money/payouts.ts';
import { inbox } from './pauses/inbox.ts';
import { protocolRegistry } from './studio/protocol-simulations.ts';
import { approvals } from './orgs/approvals.ts';
import { accountEvents } from './runs/account-events.ts';
import { scimBeside } from './orgs/scim-beside.ts';
import { scimSettings } from './orgs/scim-settings.ts';
import { machinery } from './platform/machinery.ts';
import { workerBuilds } from './platform/worker-builds.ts';
import { plans } from './platform/plans.ts';
import { schedulePreviews } from './conversation/schedules.ts';
import { traces } from './runs/traces.ts';
import { studioGuests, studioRuns } from './studio/agent-studio.ts';
import { findings } from './quality/findings.ts';
import { charges } from './money/charges.ts';
import { prices } from './money/prices.ts';
import { brainChanges } from './studio/company-brain.ts';
import { fileUploads } from './workspace/file-uploads.ts';
import { folders } from './workspace/folders.ts';
import { grantRevocation } from './workspace/grant-revocation.ts';

export const beside = {
  accountEvents,
  agentUptime,
  allowedOrigins,
  approvals,
  brainChanges,
  callerScopes,
  charges,
  complianceExports,
  databaseParts,
  deploymentCards,
  evaluations,
  fileUploads,
  findings,
  folders,
  grantRevocation,
  inbox,
  installation,
  machinery,
  organizationSettings,
  organizationSso,
  payoutStatements,
  plans,
  policyDenials,
  policyRules,
  prices,
  proofDetail,
  protocolRegistry,
  schedulePreviews,
  scimBeside,
  scimSettings,
  signIns,
  sourceEditor,
  sso,
  studioGuests,
  studioRuns,
  testMoney,
  topUps,
  traces,
  workerBuilds,
};
export type Beside = typeof beside;
