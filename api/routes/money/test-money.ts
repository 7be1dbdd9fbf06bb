import type { testMoney } from '#contract/money/test-money.ts';
import { fillTestAccount, finishTestCheckout, getTestAccount, getTestCheckout, getTestPortal, changeTestPortal } from '#core/money/test-money/pages.ts';
import type { Handlers } from '../../http/handlers.ts';

export const testMoneyRoutes: Handlers<typeof testMoney> = {
  checkout: (ctx, { params }) => getTestCheckout(ctx, params),
  finishCheckout: (ctx, { params, body }) => finishTestCheckout(ctx, { ...params, ...body }),
  portal: (ctx, { params }) => getTestPortal(ctx, params),
  usePortal: (ctx, { params, body }) => changeTestPortal(ctx, { ...params, ...body }),
  account: (ctx, { params }) => getTestAccount(ctx, params),
  fillAccount: (ctx, { params, body }) => fillTestAccount(ctx, { ...params, ...body }),
};
