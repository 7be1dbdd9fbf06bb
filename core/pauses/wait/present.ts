import type { Knex } from 'knex';
import type { z } from 'zod';
import type { WaitOut } from '#contract/run/run-context.ts';
import type { WaitsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { tokenOfRow } from '../../workspace/grant/keys.ts';
import { resolutionOf } from './model.ts';

/** For the run that waits. A token is made again from its grant's row: it is stored nowhere. */
export async function presentWait(ctx: Ctx, row: WaitsRow): Promise<z.infer<typeof WaitOut>> {
  const { answer, reason } = resolutionOf(row);
  const state = row.state;
  const by = state === 'answered' && row.asked_kind !== 'caller' ? row.resolved_by : null;
  const token = state === 'approved' ? await tokenOfWait(ctx, ctx.db, row) : undefined;
  return {
    wait_id: row.wait_id,
    state,
    expires_at: row.expires_at.toISOString(),
    ...(state === 'answered' ? { answer } : {}),
    ...(token === undefined ? {} : { grant_token: token }),
    ...(state === 'denied' ? { reason: reason ?? '' } : {}),
    ...(by === null ? {} : { answered_by: by }),
  };
}

export async function tokenOfWait(ctx: Ctx, db: Knex, row: WaitsRow): Promise<string | undefined> {
  const { grant_id } = resolutionOf(row);
  const grant = grant_id === undefined ? undefined : await db('grants').where({ grant_id }).first();
  return grant && tokenOfRow(ctx, grant);
}
