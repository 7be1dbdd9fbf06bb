// Every group's handlers under the group's name. A group of the contract without one does not compile.
import type { Contract } from '../contract/index.ts';
import { runContext } from '../contract/run/run-context.ts';
import type { Internal } from './app.ts';
import type { ContractHandlers } from './http/handlers.ts';
import { agentMemoryRoutes } from './routes/agents/agent-memory.ts';
import { agentSecretRoutes } from './routes/agents/agent-secrets.ts';
import { agentRoutes } from './routes/agents/agents.ts';
import { consumerSetupRoutes } from './routes/agents/consumer-setup.ts';
import { installedAgentRoutes } from './routes/agents/installed-agents.ts';
import { agentReceiptRoutes } from './routes/evidence/agent-receipts.ts';
import { authRoutes } from './routes/identity/auth.ts';
import { llmCredRoutes } from './routes/money/llm-creds.ts';
import { llmUsageRoutes } from './routes/money/llm-usage.ts';
import { platformRoutes } from './routes/platform/platform.ts';
import { publicRoutes } from './routes/public/public.ts';
import { runContextRoutes } from './routes/run/run-context.ts';
import { chatRoutes } from './routes/runs/chat.ts';
import { chatThreadRoutes } from './routes/runs/chat-threads.ts';
import { dagRunRoutes } from './routes/runs/dag-runs.ts';
import { agentSessionRoutes } from './routes/runs/agent-sessions.ts';
import { subagentRunRoutes } from './routes/runs/subagent-runs.ts';
import { metaAgentRunRoutes } from './routes/studio/meta-agent-runs.ts';
import { scheduleRoutes } from './routes/runs/schedules.ts';
import { workLedgerRoutes } from './routes/runs/work-ledger.ts';
import { fileRoutes } from './routes/workspace/files.ts';
import { grantRoutes } from './routes/workspace/grants.ts';
import { workspaceGrantRoutes } from './routes/workspace/workspace-grants.ts';

export const handlers: ContractHandlers<Contract> = {
  auth: authRoutes,
  agents: agentRoutes,
  agentMemory: agentMemoryRoutes,
  agentSecrets: agentSecretRoutes,
  consumerSetup: consumerSetupRoutes,
  installedAgents: installedAgentRoutes,
  chat: chatRoutes,
  chatThreads: chatThreadRoutes,
  dagRuns: dagRunRoutes,
  agentSessions: agentSessionRoutes,
  schedules: scheduleRoutes,
  subagentRuns: subagentRunRoutes,
  metaAgentRuns: metaAgentRunRoutes,
  workLedger: workLedgerRoutes,
  files: fileRoutes,
  grants: grantRoutes,
  workspaceGrants: workspaceGrantRoutes,
  agentReceipts: agentReceiptRoutes,
  llmCreds: llmCredRoutes,
  llmUsage: llmUsageRoutes,
  platform: platformRoutes,
  public: publicRoutes,
};

/** For running agents alone. */
export const internal: Internal<{ runContext: typeof runContext }> = { contract: { runContext }, handlers: { runContext: runContextRoutes } };
