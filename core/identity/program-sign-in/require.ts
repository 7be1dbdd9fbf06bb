// Access tokens are checked without asking their issuer; whether their sign-in has been ended since is asked
// of the database, for a process every two seconds.
import type { Knex } from 'knex';
import { Unauthorized } from '../../kernel/errors.ts';
import { processKey } from '../../kernel/settings.ts';
import { markUsed } from '../mark-used.ts';

/** For so long a token works on at most after its sign-in has ended. Another process may have ended it. */
const BELIEVED_MS = 2_000;
const MOST = 20_000;

/** By its id, until when it is believed to hold: of a clock that is never set back. */
const known = new WeakMap<object, Map<string, number>>();

interface Deps {
  db: Knex;
  clock: () => number;
}

/** Undefined: the token belongs to none. @throws Unauthorized token_invalid */
export async function requireSignIn({ db, clock }: Deps, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const key = processKey(db);
  const believed = known.get(key) ?? new Map<string, number>();
  known.set(key, believed);
  if ((believed.get(id) ?? 0) > performance.now()) return;
  const until = performance.now() + BELIEVED_MS;
  const row = await db('program_sign_ins').where({ sign_in_id: id }).whereRaw('sign_in_holds(sign_in_id)').first('last_used_at');
  believed.delete(id);
  if (!row) throw new Unauthorized('token_invalid', 'This sign-in has ended: sign in again');
  const [oldest] = believed.keys();
  if (believed.size >= MOST && oldest !== undefined) believed.delete(oldest);
  believed.set(id, until);
  await markUsed(db, 'program_sign_ins', { sign_in_id: id }, clock(), row.last_used_at);
}

/** It was ended by this process: here at once. */
export function forgetSignIns(db: Knex): void {
  known.delete(processKey(db));
}
