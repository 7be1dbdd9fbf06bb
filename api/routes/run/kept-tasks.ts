import type { keptTasks } from '#contract/run/kept-tasks.ts';
import { keepTask } from '#core/runs/task/keep.ts';
import { listPushes, removePush, setPush } from '#core/runs/task/push.ts';
import { getTask, listTasks } from '#core/runs/task/read.ts';
import type { Handlers } from '../../http/handlers.ts';

export const keptTaskRoutes: Handlers<typeof keptTasks> = {
  keep: (ctx, { params, body }) => keepTask(ctx, { ...params, ...body }),
  get: (ctx, { params, query }) => getTask(ctx, { ...params, ...query }),
  list: (ctx, { query }) => listTasks(ctx, query),
  setPush: (ctx, { params, body }) => setPush(ctx, { ...params, ...body }),
  removePush: (ctx, { params, query }) => removePush(ctx, { ...params, ...query }),
  listPushes: (ctx, { params, query }) => listPushes(ctx, { ...params, ...query }),
};
