import type { prices } from '#contract/money/prices.ts';
import { endPrice } from '#core/money/price/end.ts';
import { listPrices } from '#core/money/price/list.ts';
import { setPrice } from '#core/money/price/set.ts';
import type { Handlers } from '../../http/handlers.ts';

export const priceRoutes: Handlers<typeof prices> = {
  list: (ctx, { params, query }) => listPrices(ctx, { ...params, ...query }),
  put: (ctx, { params, body }) => setPrice(ctx, { ...params, price: body }),
  end: (ctx, { params }) => endPrice(ctx, params),
};
