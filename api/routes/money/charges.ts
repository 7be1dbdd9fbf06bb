import type { charges } from '#contract/money/charges.ts';
import { listCharges } from '#core/money/charge/list.ts';
import type { Handlers } from '../../http/handlers.ts';

export const chargeRoutes: Handlers<typeof charges> = {
  list: (ctx, { query }) => listCharges(ctx, query),
};
