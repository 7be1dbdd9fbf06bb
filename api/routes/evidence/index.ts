// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { agentEvidenceRoutes } from './agent-evidence.ts';
import { agentInsightRoutes } from './agent-insights.ts';
import { agentReceiptRoutes } from './agent-receipts.ts';

export const evidenceArea = {
  agentEvidence: agentEvidenceRoutes,
  agentInsights: agentInsightRoutes,
  agentReceipts: agentReceiptRoutes,
} satisfies AreaHandlers;
