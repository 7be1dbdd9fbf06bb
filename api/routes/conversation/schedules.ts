import type { schedulePreviews, schedules } from '#contract/conversation/schedules.ts';
import { runScheduleNow } from '#core/conversation/schedule/begin.ts';
import { createSchedule } from '#core/conversation/schedule/create.ts';
import { listSchedules } from '#core/conversation/schedule/list.ts';
import { previewSchedule } from '#core/conversation/schedule/preview.ts';
import { removeSchedule } from '#core/conversation/schedule/remove.ts';
import { updateSchedule } from '#core/conversation/schedule/update.ts';
import type { Handlers } from '../../http/handlers.ts';

export const scheduleRoutes: Handlers<typeof schedules> = {
  list: (ctx, { query }) => listSchedules(ctx, query),
  create: (ctx, { body }) => createSchedule(ctx, body),
  update: (ctx, { params, body }) => updateSchedule(ctx, { ...params, ...body }),
  remove: (ctx, { params }) => removeSchedule(ctx, params),
  run: (ctx, { params }) => runScheduleNow(ctx, params),
};

export const schedulePreviewRoutes: Handlers<typeof schedulePreviews> = {
  preview: (ctx, { query }) => previewSchedule(ctx, query),
};
