// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { accountEventRoutes } from './account-events.ts';
import { agentSessionRoutes } from './agent-sessions.ts';
import { subagentRunRoutes } from './subagent-runs.ts';
import { myRunRoutes } from './my-runs.ts';
import { traceRoutes } from './traces.ts';
import { workLedgerRoutes } from './work-ledger.ts';

export const runsArea = {
  accountEvents: accountEventRoutes,
  agentSessions: agentSessionRoutes,
  subagentRuns: subagentRunRoutes,
  traces: traceRoutes,
  myRuns: myRunRoutes,
  workLedger: workLedgerRoutes,
} satisfies AreaHandlers;
