import type { controlRoom, policyDenials } from '#contract/overview/control-room.ts';
import { listDenials } from '#core/overview/control-room/denials.ts';
import { controlRoom as readControlRoom } from '#core/overview/control-room/read.ts';
import { controlRoomReceipt } from '#core/overview/control-room/receipt.ts';
import { setPolicy } from '#core/overview/control-room/set-policy.ts';
import type { Handlers } from '../../http/handlers.ts';

export const controlRoomRoutes: Handlers<typeof controlRoom> = {
  get: (ctx, { query }) => readControlRoom(ctx, query),
  setPolicy: (ctx, { body }) => setPolicy(ctx, body),
  receipt: (ctx, { params }) => controlRoomReceipt(ctx, params),
};

export const policyDenialRoutes: Handlers<typeof policyDenials> = {
  denials: (ctx, { query }) => listDenials(ctx, query),
};
