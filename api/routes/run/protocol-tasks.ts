import type { protocolTasks } from '#contract/run/protocol-tasks.ts';
import { writeTask } from '#core/runs/task/write.ts';
import { listPushes, removePush, setPush } from '#core/runs/task/push.ts';
import { getTask, listTasks } from '#core/runs/task/read.ts';
import type { Handlers } from '../../http/handlers.ts';

export const protocolTaskRoutes: Handlers<typeof protocolTasks> = {
  write: (ctx, { params, body }) => writeTask(ctx, { ...params, ...body }),
  get: (ctx, { params, query }) => getTask(ctx, { ...params, ...query }),
  list: (ctx, { query }) => listTasks(ctx, query),
  setPush: (ctx, { params, body }) => setPush(ctx, { ...params, ...body }),
  removePush: (ctx, { params, query }) => removePush(ctx, { ...params, ...query }),
  listPushes: (ctx, { params, query }) => listPushes(ctx, { ...params, ...query }),
};
