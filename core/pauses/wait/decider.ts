// Who decided a wait, for those whom it was asked of.
import type { z } from 'zod';
import type { DecidedBy } from '#contract/pauses/inbox.ts';
import type { WaitsRow } from '#db/tables.ts';
import { type Ctx, personOf } from '../../kernel/ctx.ts';

export async function deciderOf(ctx: Pick<Ctx, 'db' | 'actor'>, { resolved_by: by }: Pick<WaitsRow, 'resolved_by'>): Promise<z.infer<typeof DecidedBy>> {
  if (by === null) return null;
  const user = await ctx.db('users').where({ user_id: by }).first('email');
  return user === undefined ? null : { you: ctx.actor.kind === 'user' && personOf(ctx.actor) === by, email: user.email };
}
