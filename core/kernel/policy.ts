// Who may do what: the one place that answers. A verb asks before it changes something, a list shows what its
// action allows. A rule looks at whose the resource is: of the account that the actor acts for. Who acts for
// an organization has its relations, bounded by their role (roles.ts).
import type { Knex } from 'knex';
import type { Permission } from '#contract/platform/control-policy.ts';
import type { Actor, Ctx, UserActor } from './ctx.ts';
import { Forbidden, Unauthorized } from './errors.ts';
import { ACTION_CLASSES, OF_ANY_SESSION, roleAllows } from './roles.ts';
import { type Columns, type Condition, RELATIONS, type Relation, type Resource } from './relations.ts';
import { type Action, RULES } from './rules.ts';
import { ssoLimited } from './sso.ts';
import { kvmRequired } from './strangers.ts';
import { noteAllowed } from './verb.ts';

export { type Action, RULES } from './rules.ts';
export type { Columns, Condition, Recipient, Resource } from './relations.ts';

/**
 * What an operator may forbid an account, whatever the rules above allow: its actions. Calls are the calls of
 * other accounts' agents: requireCallOf.
 */
const CONTROLLED: Partial<Record<Action, Permission>> = {
  'agent.deploy': 'may_deploy',
  'agent.import': 'may_deploy',
  'agent.publish': 'may_publish',
  'agent.redeploy': 'may_deploy',
  'agent.update_template': 'may_deploy',
  'agent.upgrade': 'may_deploy',
  'source.deploy': 'may_deploy',
};

function denial(actor: Actor, action: Action): Permission | undefined {
  const permission = CONTROLLED[action];
  return permission !== undefined && isDenied(actor, permission) ? permission : undefined;
}

/** Of an account that is let in to accept an invitation. */
const OF_THE_INVITED: readonly Action[] = ['organization.join', 'user.read'];

/**
 * What the role of who acts for an organization does not allow, or how they signed in; undefined: nothing
 * stands against it.
 */
function roleRefusal(actor: Actor, action: Action): Forbidden | undefined {
  if (actor.kind !== 'user') return undefined;
  const { member, limited_to, only_joins } = actor;
  if (only_joins && !OF_THE_INVITED.includes(action)) return kvmRequired();
  if (limited_to !== undefined && (member?.organization_id !== limited_to || (ACTION_CLASSES[action] === 'personal' && !OF_ANY_SESSION.includes(action))))
    return ssoLimited(member);
  if (member === undefined || roleAllows(member.role, action) || (limited_to !== undefined && OF_ANY_SESSION.includes(action))) return undefined;
  const { role, slug } = member;
  if (ACTION_CLASSES[action] === 'personal')
    return new Forbidden('personal_only', 'This belongs to a person, not to an organization: send the request without Svc-Organization');
  return new Forbidden('role_not_allowed', `Your role in ${slug}, ${role}, does not allow this: ask one of its admins`, { action, role });
}

function isDenied(actor: Actor, permission: Permission): boolean {
  return 'denied' in actor && actor.denied?.includes(permission) === true;
}

function notPermitted(permission: Permission): Forbidden {
  return new Forbidden('not_permitted', `${SENTENCES[permission]}: ask the operators of this installation`, { permission });
}

const SENTENCES: Record<Permission, string> = {
  may_deploy: 'An operator does not let this account deploy',
  may_publish: 'An operator does not let this account publish agents',
  may_call_external: 'An operator does not let this account call agents of other accounts',
};

/** For a call that the rules allow. `owner`: of the agent that is called. @throws Forbidden not_permitted */
export function requireCallOf(actor: Actor, owner: string): void {
  const account = actor.kind === 'user' ? actor.user_id : 'owner_id' in actor ? actor.owner_id : undefined;
  if (account !== owner && isDenied(actor, 'may_call_external')) throw notPermitted('may_call_external');
}

/** Whether the actor may do it to this resource. */
export function may(actor: Actor, action: Action, resource: Resource): boolean {
  if (denial(actor, action) !== undefined || roleRefusal(actor, action)) return false;
  const allowed = (RULES[action] as readonly Relation[]).some((relation) => RELATIONS[relation].holds(actor, resource));
  if (allowed) noteAllowed(action);
  return allowed;
}

/**
 * The rows to which the actor may do it, as a condition in SQL with named bindings: `may` for a table. For
 * lists, and for finders, so that what the actor may not touch answers as if it were not there. @throws
 * Unauthorized, Forbidden where there is no row to which this actor could do it; Forbidden not_permitted
 * where an operator forbids it, role_not_allowed, personal_only where the role in the organization does
 */
export function rowsThatMay(actor: Actor, action: Action, columns: Columns): Condition {
  const denied = denial(actor, action);
  if (denied !== undefined) throw notPermitted(denied);
  const tooLittle = roleRefusal(actor, action);
  if (tooLittle) throw tooLittle;
  const condition = conditionOf(actor, action, columns);
  if (!condition) throw refused(actor);
  return condition;
}

function conditionOf(actor: Actor, action: Action, columns: Columns): Condition | undefined {
  if (denial(actor, action) !== undefined || roleRefusal(actor, action)) return undefined;
  const conditions = (RULES[action] as readonly Relation[]).flatMap((relation) => RELATIONS[relation].rows(actor, columns) ?? []);
  if (conditions.length === 0) return undefined;
  const sql = [...new Set(conditions.map((one) => one.sql))].join(' or ');
  noteAllowed(action);
  return { sql: `(${sql})`, bindings: Object.assign({}, ...conditions.map((one) => one.bindings)) };
}

/**
 * `rowsThatMay` for a query builder: `db('jobs').where(whereMay(ctx.actor, 'job.read'))`. The column is
 * `owner_id` where nothing else is said.
 */
export function whereMay(actor: Actor, action: Action, columns: Columns = { owner: 'owner_id' }): (query: Knex.QueryBuilder) => void {
  const { sql, bindings } = rowsThatMay(actor, action, columns);
  return (query) => void query.whereRaw(sql, bindings);
}

/**
 * As whereMay; an actor that could do it to no row finds none, instead of being refused: where a link may
 * open what its holder has no right to.
 */
export function whereMayOrNone(actor: Actor, action: Action, columns: Columns): (query: Knex.QueryBuilder) => void {
  const { sql, bindings } = conditionOf(actor, action, columns) ?? { sql: 'false', bindings: {} };
  return (query) => void query.whereRaw(sql, bindings);
}

/**
 * The user that acts for an account: for records that are made in it (`user_id`), and for records of this
 * account only.
 * @throws Unauthorized, Forbidden user_required, not_permitted, role_not_allowed, personal_only
 */
export function requireUser({ actor }: Pick<Ctx, 'actor'>, action: Action): UserActor {
  const denied = denial(actor, action);
  if (denied !== undefined) throw notPermitted(denied);
  const tooLittle = roleRefusal(actor, action);
  if (tooLittle) throw tooLittle;
  if (actor.kind === 'user' && may(actor, action, { owner: actor.user_id })) return actor;
  throw refused(actor);
}

/** An operator, for what belongs to the installation. @throws Unauthorized, Forbidden operator_required */
export function requireOperator({ actor }: Pick<Ctx, 'actor'>, action: Action): UserActor {
  if (actor.kind === 'user' && may(actor, action, { owner: null, operated: true })) return actor;
  if (actor.kind === 'anonymous') throw refused(actor);
  throw new Forbidden('operator_required', 'Only an operator of the platform may do this: ask one');
}

function refused(actor: Actor): Error {
  if (actor.kind === 'anonymous') return new Unauthorized('unauthenticated', 'Sign in first: send Authorization: Bearer <token>');
  return new Forbidden('user_required', 'This needs a signed-in user, not a token of another kind');
}
