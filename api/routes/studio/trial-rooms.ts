import type { trialRooms } from '#contract/studio/trial-rooms.ts';
import { createRoom } from '#core/studio/trial-room/create.ts';
import { rateRun, selectRun } from '#core/studio/trial-room/decide.ts';
import { listRooms, readRoom } from '#core/studio/trial-room/read.ts';
import { startRuns } from '#core/studio/trial-room/run.ts';
import type { Handlers } from '../../http/handlers.ts';

export const trialRoomRoutes: Handlers<typeof trialRooms> = {
  list: (ctx, { query }) => listRooms(ctx, query),
  create: (ctx, { body }) => createRoom(ctx, body),
  get: (ctx, { params }) => readRoom(ctx, params),
  run: (ctx, { params, headers, body }) => startRuns(ctx, { ...params, ...body, key: headers['idempotency-key'] }),
  rate: (ctx, { params, body }) => rateRun(ctx, { ...params, ...body }),
  select: (ctx, { params, body }) => selectRun(ctx, { ...params, ...body }),
};
