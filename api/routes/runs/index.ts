// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { agentSessionRoutes } from './agent-sessions.ts';
import { subagentRunRoutes } from './subagent-runs.ts';
import { workLedgerRoutes } from './work-ledger.ts';

export const runsArea = {
  agentSessions: agentSessionRoutes,
  subagentRuns: subagentRunRoutes,
  workLedger: workLedgerRoutes,
} satisfies AreaHandlers;
