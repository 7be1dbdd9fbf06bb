// How much may be asked: by one run, and of an owner by the calls of one caller, whose many runs would
// otherwise fill the inbox.
import type { Knex } from 'knex';
import type { RunActor } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';

/** One run may have this many open at a time, and this many in all. */
export const MAX_OPEN_WAITS = 20;
const MAX_WAITS = 500;
/**
 * Open questions to the owner of an agent by the calls of one account; calls of nobody known count together.
 */
export const MAX_OPEN_OF_CALLER = 20;

/** Open questions to somebody outside of the account that owns the agents, by all agents of that account. */
export const MAX_OPEN_OF_GUEST = 5;

/** @throws Conflict too_many_waits */
export async function checkRun(tx: Knex, runId: string): Promise<void> {
  const { rows } = await tx.raw<{ rows: { open: number; total: number }[] }>(
    `select count(*) filter (where state = 'pending')::int as open, count(*)::int as total from waits where run_id = ?`,
    [runId],
  );
  const { open = 0, total = 0 } = rows[0] ?? {};
  if (open >= MAX_OPEN_WAITS) throw new Conflict('too_many_waits', `A run may wait for ${MAX_OPEN_WAITS} answers at a time: let some be answered first`);
  if (total >= MAX_WAITS) throw new Conflict('too_many_waits', `A run may ask ${MAX_WAITS} times: combine several questions in one`);
}

/**
 * What the owner's own runs ask is theirs. Held to the end of the transaction: calls at once are counted one
 * after the other. @throws Conflict inbox_full
 */
export async function checkInbox(tx: Knex.Transaction, run: RunActor, recipient: string): Promise<void> {
  if (recipient === run.user_id) return;
  const caller = run.user_id ?? '';
  await tx.raw('select pg_advisory_xact_lock(hashtext(?))', [`svc.inbox:${run.agent_id}:${recipient}:${caller}`]);
  const open = await tx('waits as w')
    .join('runs as r', 'r.run_id', 'w.run_id')
    .where({ 'w.agent_id': run.agent_id, 'w.asked_of': recipient, 'w.state': 'pending' })
    .whereRaw(`coalesce(r.user_id, '') = ?`, [caller])
    .limit(MAX_OPEN_OF_CALLER)
    .select('w.wait_id');
  if (open.length < MAX_OPEN_OF_CALLER) return;
  const whose = run.user_id === null ? 'callers who are not signed in' : 'this caller';
  throw new Conflict('inbox_full', `${MAX_OPEN_OF_CALLER} questions of ${run.agent_name} by ${whose} wait for its owner: ask again when some are answered`);
}

/** @throws Conflict inbox_full */
export async function checkGuests(tx: Knex.Transaction, run: RunActor, guests: readonly string[]): Promise<void> {
  // In one order everywhere: two that ask the same people do not wait for each other.
  for (const guest of guests.toSorted()) {
    await tx.raw('select pg_advisory_xact_lock(hashtext(?))', [`svc.inbox:${run.owner_id}:${guest}`]);
    const open = await tx('waits')
      .where({ asked_of: run.owner_id, state: 'pending' })
      .whereRaw('asked_guests @> array[?]', [guest])
      .limit(MAX_OPEN_OF_GUEST)
      .select('wait_id');
    if (open.length >= MAX_OPEN_OF_GUEST)
      throw new Conflict(
        'inbox_full',
        `${MAX_OPEN_OF_GUEST} questions of this account's agents wait for somebody who is asked: ask again when some are answered`,
      );
  }
}
