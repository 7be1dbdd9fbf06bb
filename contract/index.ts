// Every group of the API under its name. Router, OpenAPI, client, command line and generic tests read this one value.
import { agentAuth } from './imports/agent-auth.ts';
import { agentMailboxes } from './agents/agent-mailboxes.ts';
import { agentMemory } from './agents/agent-memory.ts';
import { agentSecrets } from './agents/agent-secrets.ts';
import { agents } from './agents/agents.ts';
import { consumerSetup } from './agents/consumer-setup.ts';
import { databases } from './agents/databases.ts';
import { installedAgents } from './agents/installed-agents.ts';
import { auth } from './identity/auth.ts';
import { featureFlags } from './identity/feature-flags.ts';
import { onboarding } from './identity/onboarding.ts';
import { serviceAccess } from './identity/service-access.ts';
import { agentEvidence } from './evidence/agent-evidence.ts';
import { agentInsights } from './evidence/agent-insights.ts';
import { agentProofs } from './quality/agent-proofs.ts';
import { agentReceipts } from './evidence/agent-receipts.ts';
import { scim } from './orgs/scim.ts';
import { billing } from './money/billing.ts';
import { bounties } from './money/bounties.ts';
import { organizations } from './orgs/organizations.ts';
import { controlRoom } from './overview/control-room.ts';
import { credits } from './money/credits.ts';
import { llmCreds } from './money/llm-creds.ts';
import { llmUsage } from './money/llm-usage.ts';
import { payouts } from './money/payouts.ts';
import { admin } from './platform/admin.ts';
import { payoutsAdmin } from './platform/payouts.ts';
import { compliance } from './orgs/compliance.ts';
import { platform } from './platform/platform.ts';
import { scmWebhooks } from './platform/scm-webhooks.ts';
import { publicRoutes } from './public/public.ts';
import { chat } from './conversation/chat.ts';
import { chatThreads } from './conversation/chat-threads.ts';
import { dagRuns } from './conversation/dag-runs.ts';
import { agentSessions } from './runs/agent-sessions.ts';
import { subagentRuns } from './runs/subagent-runs.ts';
import { adversarialReviewLoops } from './studio/adversarial-review-loops.ts';
import { kernelEvolution } from './studio/kernel-evolution.ts';
import { kernelSimulations } from './studio/kernel-simulations.ts';
import { metaAgentRuns } from './studio/meta-agent-runs.ts';
import { companyBrain } from './studio/company-brain.ts';
import { agentStudio } from './studio/agent-studio.ts';
import { collectiveRuntime } from './studio/collective-runtime.ts';
import { trialRooms } from './studio/trial-rooms.ts';
import { protocolSimulations } from './studio/protocol-simulations.ts';
import { schedules } from './conversation/schedules.ts';
import { workLedger } from './runs/work-ledger.ts';
import { files } from './workspace/files.ts';
import { grants } from './workspace/grants.ts';
import { workspaceGrants } from './workspace/workspace-grants.ts';

export const contract = {
  auth,
  featureFlags,
  onboarding,
  serviceAccess,
  agents,
  agentAuth,
  agentMailboxes,
  agentMemory,
  agentSecrets,
  consumerSetup,
  databases,
  installedAgents,
  chat,
  chatThreads,
  dagRuns,
  agentSessions,
  schedules,
  subagentRuns,
  adversarialReviewLoops,
  metaAgentRuns,
  protocolSimulations,
  kernelEvolution,
  kernelSimulations,
  agentStudio,
  collectiveRuntime,
  companyBrain,
  trialRooms,
  workLedger,
  files,
  grants,
  workspaceGrants,
  agentProofs,
  agentReceipts,
  billing,
  bounties,
  organizations,
  credits,
  agentEvidence,
  agentInsights,
  controlRoom,
  llmCreds,
  llmUsage,
  payouts,
  compliance,
  scim,
  platform,
  scmWebhooks,
  admin,
  payoutsAdmin,
  public: publicRoutes,
};
export type Contract = typeof contract;
