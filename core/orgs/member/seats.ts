// How many members an organization may have: the seats that its plan pays, and at least those that every
// organization has free of charge. Who is there stays when seats are given up; nobody comes until there is
// room.
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { PaymentRequired } from '../../kernel/errors.ts';
import { planOf } from '../../accounts/plan.ts';
import { setting } from '../../kernel/settings.ts';

/** `payments` absent: nothing can be bought here, and nothing is bounded. */
async function seatsOf({ db, drivers }: Pick<Ctx, 'db' | 'drivers'>, organizationId: string): Promise<number> {
  if (!drivers.payments) return Infinity;
  const [{ seats }, free] = await Promise.all([planOf(db, organizationId), setting(db, 'free_seats_per_organization')]);
  return Math.max(seats, free);
}

/**
 * Within lockMembers, so that several who come at once cannot pass it. `active`: a member becomes one now.
 * `invited`: an invitation is made, and open ones count as members. @throws PaymentRequired seats_taken
 */
export async function requireSeat(ctx: Pick<TxCtx, 'clock' | 'drivers' | 'db'>, organizationId: string, as: 'active' | 'invited'): Promise<void> {
  const seats = await seatsOf({ db: ctx.db, drivers: ctx.drivers }, organizationId);
  if (seats === Infinity) return;
  // No further than the seats: whether one is left is all that counts.
  const taken = await ctx
    .db('organization_members')
    .where({ organization_id: organizationId })
    .where((any) => {
      void any.where({ state: 'active' });
      if (as === 'invited') void any.orWhere((open) => void open.where({ state: 'invited' }).where('expires_at', '>', new Date(ctx.clock())));
    })
    .offset(seats - 1)
    .first('member_id');
  if (!taken) return;
  throw new PaymentRequired(
    'seats_taken',
    `All ${seats} seats of the organization are taken${as === 'invited' ? ', with open invitations' : ''}: buy more with "svc billing checkout", or remove somebody`,
    { seats },
  );
}
