// Whether this installation serves accounts that are not its operators'. Without KVM machines are emulated,
// which QEMU calls no security boundary: an operator may set (SVC_REQUIRE_KVM) that nobody else is served
// then.
import type { Knex } from 'knex';
import type { AgentRuntime } from '#drivers/runtime/port.ts';
import { Forbidden } from './errors.ts';
import { processKey } from './settings.ts';

/** A host that starts again may be another machine. */
const BELIEVED_MS = 5_000;

interface Isolation {
  runtime: Pick<AgentRuntime, 'current'>;
  known: Promise<boolean>;
  /** Of a clock that is never set back. */
  until: number;
}

const required = new WeakMap<object, Isolation>();

/** From now on this process serves strangers only while the host of `runtime` has KVM. */
export function requireKvm(db: Knex, runtime: Pick<AgentRuntime, 'current'>): void {
  required.set(processKey(db), { runtime, known: Promise.resolve(false), until: 0 });
}

/** A host that does not answer, or does not know yet, has none. */
export async function servesStrangers(db: Knex): Promise<boolean> {
  const isolation = required.get(processKey(db));
  if (!isolation) return true;
  if (isolation.until <= performance.now()) {
    isolation.until = performance.now() + BELIEVED_MS;
    isolation.known = isolation.runtime.current().then(
      ({ accelerator }) => accelerator === 'kvm',
      () => false,
    );
  }
  return isolation.known;
}

/**
 * An organization that an operator owns has invited this address, or without one any: who accepts it is let
 * in so far.
 */
export async function isInvited(db: Knex, email: string | undefined): Promise<boolean> {
  const open = await db('organization_members as m')
    .where({ 'm.state': 'invited', ...(email !== undefined && { 'm.email': email.trim().toLowerCase() }) })
    .whereRaw('m.expires_at > now()')
    .whereExists(ownedByOperator(db))
    .first('m.member_id');
  return open !== undefined;
}

/** Of the organization of `m`. */
function ownedByOperator(db: Knex) {
  return db('organization_members as o')
    .join('users as operator', 'operator.user_id', 'o.user_id')
    .where({ 'o.state': 'active', 'o.role': 'owner', 'operator.operator': true })
    .whereRaw('o.organization_id = m.organization_id');
}

/**
 * Not an operator, no organization that an operator owns, and no member of one. `db` may be a transaction.
 */
export async function isStranger(db: Knex, userId: string): Promise<boolean> {
  const own = await db('users as u')
    .where('u.user_id', userId)
    .where((one) =>
      one.where('u.operator', true).orWhereExists(
        db('organization_members as m')
          .where({ 'm.state': 'active' })
          .where((who) => who.whereRaw('m.user_id = u.user_id').orWhereRaw('m.organization_id = u.user_id'))
          .whereExists(ownedByOperator(db)),
      ),
    )
    .first('u.user_id');
  return own === undefined;
}

export function kvmRequired(): Forbidden {
  return new Forbidden('kvm_required', 'This installation has no KVM, and serves its operators and their organizations only: ask its operator for access');
}
