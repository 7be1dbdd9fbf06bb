// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { agentMailboxRoutes } from './agent-mailboxes.ts';
import { agentMemoryRoutes } from './agent-memory.ts';
import { agentSecretRoutes } from './agent-secrets.ts';
import { agentRoutes } from './agents.ts';
import { consumerSetupRoutes } from './consumer-setup.ts';
import { databaseRoutes } from './databases.ts';
import { installedAgentRoutes } from './installed-agents.ts';

export const agentsArea = {
  agents: agentRoutes,
  agentMailboxes: agentMailboxRoutes,
  agentMemory: agentMemoryRoutes,
  agentSecrets: agentSecretRoutes,
  consumerSetup: consumerSetupRoutes,
  databases: databaseRoutes,
  installedAgents: installedAgentRoutes,
} satisfies AreaHandlers;
