import type { z } from 'zod';
import type { ScheduleOut } from '#contract/conversation/schedules.ts';
import type { SchedulesRow } from '#db/tables.ts';
import { whereMay } from '../../kernel/policy.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newestPage } from '../../kernel/keyset.ts';
import type { Page } from '../../kernel/page.ts';
import { presentSchedules } from './present.ts';

/** Newest first. */
export async function listSchedules(ctx: Ctx, i: { limit: number; cursor?: string | undefined }): Promise<Page<z.infer<typeof ScheduleOut>>> {
  const query = ctx.db('schedules').where(whereMay(ctx.actor, 'schedule.read')).whereNull('deleted_at').select<SchedulesRow[]>('*');
  const { items, next_cursor } = await newestPage(query, ['created_at', 'schedule_id'], i, (row) => row);
  return { items: await presentSchedules(ctx, items), next_cursor };
}
