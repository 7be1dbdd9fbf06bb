// What operators allow accounts, as every process believes it: looked up at most once a second per account,
// and again at once where it was written.
import type { Knex } from 'knex';
import { AccountLimits, type Permission, PERMISSIONS } from '#contract/platform/control-policy.ts';
import { type Actor, personOf } from '../kernel/ctx.ts';
import { Forbidden } from '../kernel/errors.ts';
import { planLimit } from './plan.ts';
import { processKey } from '../kernel/settings.ts';
import { isInvited, isStranger, kvmRequired, servesStrangers } from '../kernel/strangers.ts';

/** A process may not know for so long what another has written. */
export const BELIEVED_MS = 1_000;
const MAX_ACCOUNTS = 20_000;

interface Control {
  /** By an operator (`by_operator`), or because nobody but operators is served (`stranger`). */
  suspended: boolean;
  stranger: boolean;
  by_operator: boolean;
  /** Empty: everything is allowed. */
  denied: readonly Permission[];
  limits: AccountLimits;
}

const NO_LIMITS: AccountLimits = { agents: null, schedules: null, concurrent_runs: null, calls_per_minute: null };
const FREE: Control = { suspended: false, stranger: false, by_operator: false, denied: [], limits: NO_LIMITS };

interface Known {
  control: Control;
  /** Of a clock that is never set back. */
  until: number;
}
const known = new WeakMap<object, Map<string, Known>>();

/** `db` may be a transaction. */
export async function controlOf(db: Knex, userId: string): Promise<Control> {
  const accounts = accountsOf(db);
  const cached = accounts.get(userId);
  if (cached && cached.until > performance.now()) return cached.control;
  const until = performance.now() + BELIEVED_MS;
  const row = await db('control_policies').where({ user_id: userId }).first();
  const stranger = !(await servesStrangers(db)) && (await isStranger(db, userId));
  const control: Control = row
    ? {
        suspended: row.suspended || stranger,
        stranger,
        by_operator: row.suspended,
        denied: PERMISSIONS.filter((one) => !row[one]),
        limits: AccountLimits.parse({ ...NO_LIMITS, ...Object(row.limits) }),
      }
    : { ...FREE, suspended: stranger, stranger };
  accounts.delete(userId);
  const oldest = accounts.size >= MAX_ACCOUNTS ? accounts.keys().next().value : undefined;
  if (oldest !== undefined) accounts.delete(oldest);
  accounts.set(userId, { control, until });
  return control;
}

export function forgetControl(db: Knex, userId: string): void {
  accountsOf(db).delete(userId);
}

function accountsOf(db: Knex): Map<string, Known> {
  const key = processKey(db);
  const existing = known.get(key);
  if (existing) return existing;
  const accounts = new Map<string, Known>();
  known.set(key, accounts);
  return accounts;
}

/**
 * The actor with what is forbidden to the accounts behind it. Who is a stranger but invited may accept, and
 * nothing else. @throws Forbidden account_suspended, kvm_required
 */
export async function withControl<A extends Actor>(db: Knex, actor: A): Promise<A> {
  const denied = new Set<Permission>();
  for (const userId of accountsBehind(actor)) {
    const control = await controlOf(db, userId);
    if (control.stranger) {
      if (control.by_operator || actor.kind !== 'user' || !(await isInvited(db, actor.email))) throw kvmRequired();
      return { ...actor, only_joins: true };
    }
    if (control.suspended) throw new Forbidden('account_suspended', 'An operator has suspended this account: ask the operators of this installation');
    for (const one of control.denied) denied.add(one);
  }
  return denied.size === 0 ? actor : { ...actor, denied: [...denied] };
}

/** For a call of an agent: by whom, and whose. @throws Forbidden kvm_required */
export async function refuseStrangers(db: Knex, actor: Actor, ownerId: string): Promise<void> {
  if (await servesStrangers(db)) return;
  const controls = await Promise.all([...accountsBehind(actor), ownerId].map((account) => controlOf(db, account)));
  if (actor.kind === 'anonymous' || controls.some(({ stranger }) => stranger)) throw kvmRequired();
}

/**
 * A run acts for its agent's owner and for its caller: what is forbidden to one of them is forbidden to it.
 */
function accountsBehind(actor: Actor): string[] {
  switch (actor.kind) {
    case 'user':
      return [...new Set([personOf(actor), actor.user_id])];
    case 'agent_session':
      return [actor.user_id];
    case 'api_token':
    case 'source_token':
      return [actor.owner_id];
    case 'run':
      return [...new Set(actor.user_id === null ? [actor.owner_id] : [actor.owner_id, actor.user_id])];
    case 'platform':
      return actor.user_id === undefined ? [] : [actor.user_id];
    case 'org_scim':
      return [actor.organization_id];
    case 'anonymous':
      return [];
  }
}

/** The account's own limit, else that of its plan, else the installation's. */
export async function accountLimit(db: Knex, userId: string, name: 'agents' | 'schedules'): Promise<number> {
  const { limits } = await controlOf(db, userId);
  return limits[name] ?? planLimit(db, userId, `${name}_per_account`);
}
