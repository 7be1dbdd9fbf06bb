import type { signIns } from '#contract/identity/sign-ins.ts';
import { endOtherSignIns, endSignIn } from '#core/identity/sign-in/end.ts';
import { listSignIns } from '#core/identity/sign-in/list.ts';
import type { Handlers } from '../../http/handlers.ts';

export const signInRoutes: Handlers<typeof signIns> = {
  list: (ctx) => listSignIns(ctx),
  end: (ctx, { params }) => endSignIn(ctx, params),
  endOthers: (ctx) => endOtherSignIns(ctx),
};
