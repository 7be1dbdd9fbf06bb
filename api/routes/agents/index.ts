// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { agentUptimeRoutes } from '../deploys/agent-uptime.ts';
import { deploymentCardRoutes } from '../deploys/deployment-cards.ts';
import { agentMailboxRoutes } from './agent-mailboxes.ts';
import { agentMemoryRoutes } from './agent-memory.ts';
import { agentSecretRoutes } from './agent-secrets.ts';
import { agentRoutes } from './agents.ts';
import { allowedOriginsRoutes } from './allowed-origins.ts';
import { callerScopesRoutes } from './caller-scopes.ts';
import { consumerSetupRoutes } from './consumer-setup.ts';
import { databasePartRoutes, databaseRoutes } from './databases.ts';
import { installedAgentRoutes } from './installed-agents.ts';

export const agentsArea = {
  agentMailboxes: agentMailboxRoutes,
  agentMemory: agentMemoryRoutes,
  agents: { ...agentRoutes, ...agentUptimeRoutes, ...deploymentCardRoutes },
  agentSecrets: agentSecretRoutes,
  allowedOrigins: allowedOriginsRoutes,
  callerScopes: callerScopesRoutes,
  consumerSetup: consumerSetupRoutes,
  databases: { ...databaseRoutes, ...databasePartRoutes },
  installedAgents: installedAgentRoutes,
} satisfies AreaHandlers;
