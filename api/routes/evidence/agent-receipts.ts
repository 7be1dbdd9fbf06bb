import type { agentReceipts } from '#contract/evidence/agent-receipts.ts';
import { getReceipt } from '#core/evidence/receipt/get.ts';
import { listReceipts } from '#core/evidence/receipt/list.ts';
import { reportReceipt } from '#core/evidence/receipt/report.ts';
import type { Handlers } from '../../http/handlers.ts';

export const agentReceiptRoutes: Handlers<typeof agentReceipts> = {
  list: (ctx, { params, query }) => listReceipts(ctx, { ...params, ...query }),
  report: (ctx, { params, body }) => reportReceipt(ctx, { ...params, ...body }),
  get: (ctx, { params }) => getReceipt(ctx, params),
};
