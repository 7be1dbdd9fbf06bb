// Every group of the API under its name. Router, OpenAPI, client, command line and generic tests read this
// one value. What the specification does not name has `origin: 'svc'`; contract/run/ is what running agents
// ask, and is in no document.
import { agentMailboxes } from './agents/agent-mailboxes.ts';
import { agentMemory } from './agents/agent-memory.ts';
import { agentSecrets } from './agents/agent-secrets.ts';
import { agents } from './agents/agents.ts';
import { allowedOrigins } from './agents/allowed-origins.ts';
import { callerScopes } from './agents/caller-scopes.ts';
import { consumerSetup } from './agents/consumer-setup.ts';
import { databaseParts } from './agents/database-parts.ts';
import { databases } from './agents/databases.ts';
import { installedAgents } from './agents/installed-agents.ts';
import { chatThreads } from './conversation/chat-threads.ts';
import { chat } from './conversation/chat.ts';
import { dagRuns } from './conversation/dag-runs.ts';
import { schedulePreviews, schedules } from './conversation/schedules.ts';
import { agentUptime } from './deploys/agent-uptime.ts';
import { deploymentCards } from './deploys/deployment-cards.ts';
import { sourceEditor } from './deploys/source-editor.ts';
import { agentEvidence } from './evidence/agent-evidence.ts';
import { agentInsights } from './evidence/agent-insights.ts';
import { agentReceipts } from './evidence/agent-receipts.ts';
import { auth } from './identity/auth.ts';
import { featureFlags } from './identity/feature-flags.ts';
import { onboarding } from './identity/onboarding.ts';
import { serviceAccess } from './identity/service-access.ts';
import { signIns } from './identity/sign-ins.ts';
import { agentAuth } from './imports/agent-auth.ts';
import { billing } from './money/billing.ts';
import { bounties } from './money/bounties.ts';
import { charges } from './money/charges.ts';
import { credits, topUps } from './money/credits.ts';
import { llmCreds } from './money/llm-creds.ts';
import { llmUsage } from './money/llm-usage.ts';
import { payouts, payoutStatements } from './money/payouts.ts';
import { prices } from './money/prices.ts';
import { testMoney } from './money/test-money.ts';
import { organizationApprovals } from './orgs/approvals.ts';
import { compliance, complianceExports } from './orgs/compliance.ts';
import { organizationScim } from './orgs/organization-scim.ts';
import { organizationSettings } from './orgs/organization-settings.ts';
import { organizations } from './orgs/organizations.ts';
import { scimOptional } from './orgs/scim-optional.ts';
import { scim } from './orgs/scim.ts';
import { organizationSso, ssoSignIn } from './orgs/sso.ts';
import { accountOverview } from './overview/account-overview.ts';
import { controlRoom, policyDenials } from './overview/control-room.ts';
import { inbox } from './pauses/inbox.ts';
import { admin } from './platform/admin.ts';
import { installation } from './platform/installation.ts';
import { doctor } from './platform/doctor.ts';
import { machinery } from './platform/machinery.ts';
import { payoutsAdmin } from './platform/payouts.ts';
import { plans } from './platform/plans.ts';
import { platform } from './platform/platform.ts';
import { scmWebhooks } from './platform/scm-webhooks.ts';
import { workerBuilds } from './platform/worker-builds.ts';
import { policyRules } from './policy/policy-rules.ts';
import { publicRoutes } from './public/public.ts';
import { agentProofs, proofDetail } from './quality/agent-proofs.ts';
import { evaluations } from './quality/evaluations.ts';
import { findings } from './quality/findings.ts';
import { accountEvents } from './runs/account-events.ts';
import { agentSessions } from './runs/agent-sessions.ts';
import { myRuns } from './runs/my-runs.ts';
import { subagentRuns } from './runs/subagent-runs.ts';
import { traces } from './runs/traces.ts';
import { workLedger } from './runs/work-ledger.ts';
import { adversarialReviewLoops } from './studio/adversarial-review-loops.ts';
import { agentStudio, studioGuests, studioRuns } from './studio/agent-studio.ts';
import { collectiveRuntime } from './studio/collective-runtime.ts';
import { brainChanges, companyBrain } from './studio/company-brain.ts';
import { kernelEvolution } from './studio/kernel-evolution.ts';
import { kernelSimulations } from './studio/kernel-simulations.ts';
import { metaAgentRuns } from './studio/meta-agent-runs.ts';
import { protocolRegistry } from './studio/protocol-registry.ts';
import { protocolSimulations } from './studio/protocol-simulations.ts';
import { trialRooms } from './studio/trial-rooms.ts';
import { fileUploads } from './workspace/file-uploads.ts';
import { files } from './workspace/files.ts';
import { folders } from './workspace/folders.ts';
import { grantRevocation } from './workspace/grant-revocation.ts';
import { grants } from './workspace/grants.ts';
import { workspaceGrants } from './workspace/workspace-grants.ts';

export const contract = {
  auth: { ...auth, ...ssoSignIn },
  featureFlags,
  onboarding,
  serviceAccess,
  signIns,
  agents: { ...agents, ...agentUptime, ...deploymentCards },
  agentAuth,
  agentMailboxes,
  agentMemory,
  agentSecrets,
  allowedOrigins,
  callerScopes,
  consumerSetup,
  databases: { ...databases, ...databaseParts },
  installedAgents,
  sourceEditor,
  chat,
  chatThreads,
  dagRuns,
  agentSessions,
  schedules: { ...schedules, ...schedulePreviews },
  subagentRuns,
  adversarialReviewLoops,
  metaAgentRuns,
  protocolSimulations: { ...protocolSimulations, ...protocolRegistry },
  kernelEvolution,
  kernelSimulations,
  agentStudio: { ...agentStudio, ...studioGuests, ...studioRuns },
  collectiveRuntime,
  companyBrain: { ...companyBrain, ...brainChanges },
  trialRooms,
  workLedger,
  accountEvents,
  inbox,
  traces,
  myRuns,
  evaluations,
  findings,
  files: { ...files, ...folders },
  fileUploads,
  grants: { ...grants, ...grantRevocation },
  workspaceGrants,
  agentProofs: { ...agentProofs, ...proofDetail },
  agentReceipts,
  billing,
  bounties,
  organizations: { ...organizations, ...organizationSettings },
  organizationApprovals,
  organizationScim,
  organizationSso,
  credits: { ...credits, ...topUps },
  agentEvidence,
  agentInsights,
  accountOverview,
  controlRoom,
  policy: { ...policyRules, ...policyDenials },
  llmCreds,
  llmUsage,
  payouts: { ...payouts, ...payoutStatements },
  prices,
  charges,
  testMoney,
  compliance: { ...compliance, ...complianceExports },
  scim: { ...scim, ...scimOptional },
  platform,
  scmWebhooks,
  admin,
  payoutsAdmin,
  installation,
  machinery,
  doctor,
  plans,
  workerBuilds,
  public: publicRoutes,
};
export type Contract = typeof contract;
