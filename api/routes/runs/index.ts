// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { agentSessionRoutes } from './agent-sessions.ts';
import { chatThreadRoutes } from './chat-threads.ts';
import { chatRoutes } from './chat.ts';
import { dagRunRoutes } from './dag-runs.ts';
import { scheduleRoutes } from './schedules.ts';
import { subagentRunRoutes } from './subagent-runs.ts';
import { workLedgerRoutes } from './work-ledger.ts';

export const runsArea = {
  chat: chatRoutes,
  chatThreads: chatThreadRoutes,
  dagRuns: dagRunRoutes,
  agentSessions: agentSessionRoutes,
  schedules: scheduleRoutes,
  subagentRuns: subagentRunRoutes,
  workLedger: workLedgerRoutes,
} satisfies AreaHandlers;
