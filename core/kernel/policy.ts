// Who may do what: the one place that answers. A verb asks before it changes something, a list shows what its
// action allows. A rule looks at whose the resource is: of the account that the actor acts for. Who acts for
// an organization has its relations, bounded by their role (roles.ts).
import type { Knex } from 'knex';
import type { Permission } from '#contract/platform/control-policy.ts';
import type { WaitsRow } from '#db/tables.ts';
import { type Actor, type Ctx, personOf, type UserActor } from './ctx.ts';
import { Forbidden, Unauthorized } from './errors.ts';
import { ACTION_CLASSES, OF_ANY_SESSION, roleAllows } from './roles.ts';
import { ssoLimited } from './sso.ts';
import { kvmRequired } from './strangers.ts';
import { noteAllowed } from './verb.ts';

/** Whose a resource is. What is left out, it has not. */
export interface Resource {
  /** User whose account it belongs to. */
  owner: string | null | undefined;
  /** Id of the agent that it is, or that it is kept at. */
  agent?: string;
  /** User who made the call that it records. */
  caller?: string | null;
  /** Run that it was made in, or is. */
  run?: string | null;
  /** Run that called that run. */
  calling_run?: string | null;
  /** Name of the agent it is addressed to. */
  addressee?: string;
  /** It is public: shown in the catalog. */
  listed?: boolean;
  /** It belongs to the installation, whose operators govern it. No record of an account ever says so. */
  operated?: boolean;
  /** Of a question: whom it is put to. Absent: whoever acts for the account that it is in. */
  recipient?: Recipient;
}

export type Recipient = Pick<WaitsRow, 'asked_kind' | 'asked_role' | 'asked_people' | 'asked_guests' | 'barred'>;

/** Where a table says whose its rows are: names of columns, and for `listed` a condition in SQL. */
export interface Columns {
  owner?: string;
  agent?: string;
  caller?: string;
  run?: string;
  calling_run?: string;
  addressee?: string;
  listed?: string;
  /** A condition in SQL. */
  operated?: string;
  /** The columns of Recipient are there, under their own names. */
  recipient?: true;
}

/** SQL with named bindings. */
export interface Condition {
  sql: string;
  bindings: Record<string, string>;
}

/** How an actor stands to a resource, said twice: of one resource, and of the rows of a table. */
interface RelationRule {
  holds(actor: Actor, resource: Resource): boolean;
  /** Undefined: it holds for no row. */
  rows(actor: Actor, columns: Columns): Condition | undefined;
}

/** Undefined where the table has no such column, or the actor no such thing. */
function equal(column: string | undefined, name: string, value: string | null | undefined): Condition | undefined {
  return column === undefined || value === null || value === undefined ? undefined : { sql: `${column} = :${name}`, bindings: { [name]: value } };
}

function where(sql: string | undefined): Condition | undefined {
  return sql === undefined ? undefined : { sql: `(${sql})`, bindings: {} };
}

function isRecipient(actor: UserActor, owner: string | null | undefined, recipient: Recipient | undefined): boolean {
  if (actor.user_id !== owner) return recipient?.asked_guests.includes(actor.user_id) === true;
  if (recipient === undefined) return true;
  const person = personOf(actor);
  if (recipient.asked_kind === 'people') return recipient.asked_people.includes(person);
  return !recipient.barred.includes(person) && (recipient.asked_kind !== 'role' || actor.member?.role === recipient.asked_role);
}

function whereRecipient(actor: UserActor, owner: string, narrowed: boolean): Condition {
  const bindings = { may_user: actor.user_id };
  if (!narrowed) return { sql: `${owner} = :may_user`, bindings };
  const sql = `(${owner} = :may_user and case asked_kind
      when 'people' then :may_person = any(asked_people)
      when 'role' then :may_person <> all(barred) and asked_role = :may_role
      else :may_person <> all(barred) end
    or ${owner} is distinct from :may_user and asked_guests <> '{}' and asked_guests @> array[:may_user])`;
  return { sql, bindings: { ...bindings, may_person: personOf(actor), may_role: actor.member?.role ?? '' } };
}

const RELATIONS = {
  /** Who acts for the account that it is in. */
  owner: {
    holds: (actor, { owner }) => actor.kind === 'user' && actor.user_id === owner,
    rows: (actor, { owner }) => (actor.kind === 'user' ? equal(owner, 'may_user', actor.user_id) : undefined),
  },
  /**
   * Whom a question is put to, who acts for the account that it is in; or for themselves, where they are no
   * members of it.
   */
  recipient: {
    holds: (actor, { owner, recipient }) => actor.kind === 'user' && isRecipient(actor, owner, recipient),
    rows: (actor, { owner, recipient }) => (actor.kind === 'user' && owner !== undefined ? whereRecipient(actor, owner, recipient === true) : undefined),
  },
  /** A run of the agent where it is kept, whomever it works for. */
  agents_run: {
    holds: (actor, { agent }) => actor.kind === 'run' && actor.agent_id === agent,
    rows: (actor, { agent }) => (actor.kind === 'run' ? equal(agent, 'may_agent', actor.agent_id) : undefined),
  },
  /** A run of the agent where it is kept, working for its owner. */
  owners_run: {
    holds: (actor, { owner, agent }) => actor.kind === 'run' && actor.user_id !== null && actor.user_id === owner && actor.agent_id === agent,
    rows: (actor, { owner, agent }) => {
      if (actor.kind !== 'run') return undefined;
      const [its, at] = [equal(owner, 'may_user', actor.user_id), equal(agent, 'may_agent', actor.agent_id)];
      return its && at && { sql: `(${its.sql} and ${at.sql})`, bindings: { ...its.bindings, ...at.bindings } };
    },
  },
  /**
   * A run of any agent of the same account. Not of the user that the run works for: they have not given it
   * the use of their own agents.
   */
  same_authors_run: {
    holds: (actor, { owner }) => actor.kind === 'run' && actor.owner_id === owner,
    rows: (actor, { owner }) => (actor.kind === 'run' ? equal(owner, 'may_author', actor.owner_id) : undefined),
  },
  /** A token of the agent itself. */
  agents_token: {
    holds: (actor, { agent }) => actor.kind === 'api_token' && actor.agent_id === agent,
    rows: (actor, { agent }) => (actor.kind === 'api_token' ? equal(agent, 'may_agent', actor.agent_id) : undefined),
  },
  /** A source token of the agent. */
  source_token: {
    holds: (actor, { agent }) => actor.kind === 'source_token' && actor.agent_id === agent,
    rows: (actor, { agent }) => (actor.kind === 'source_token' ? equal(agent, 'may_agent', actor.agent_id) : undefined),
  },
  /** A source token of the agent that may write. */
  source_write_token: {
    holds: (actor, { agent }) => actor.kind === 'source_token' && actor.mode === 'write' && actor.agent_id === agent,
    rows: (actor, { agent }) => (actor.kind === 'source_token' && actor.mode === 'write' ? equal(agent, 'may_agent', actor.agent_id) : undefined),
  },
  /** The user who made the call. */
  caller: {
    holds: (actor, { caller }) => actor.kind === 'user' && actor.user_id === caller,
    rows: (actor, { caller }) => (actor.kind === 'user' ? equal(caller, 'may_user', actor.user_id) : undefined),
  },
  /** The run that it was made in, or is. */
  same_run: {
    holds: (actor, { run }) => actor.kind === 'run' && actor.run_id === run,
    rows: (actor, { run }) => (actor.kind === 'run' ? equal(run, 'may_run', actor.run_id) : undefined),
  },
  /** The run that called that one. */
  calling_run: {
    holds: (actor, { calling_run }) => actor.kind === 'run' && actor.run_id === calling_run,
    rows: (actor, { calling_run }) => (actor.kind === 'run' ? equal(calling_run, 'may_run', actor.run_id) : undefined),
  },
  /** A run of the agent it is addressed to. */
  addressees_run: {
    holds: (actor, { addressee }) => actor.kind === 'run' && actor.agent_name === addressee,
    rows: (actor, { addressee }) => (actor.kind === 'run' ? equal(addressee, 'may_addressee', actor.agent_name) : undefined),
  },
  /** A signed-in user, where it is public. */
  user_if_listed: {
    holds: (actor, { listed }) => actor.kind === 'user' && listed === true,
    rows: (actor, { listed }) => (actor.kind === 'user' ? where(listed) : undefined),
  },
  /** A run, where it is public. */
  run_if_listed: {
    holds: (actor, { listed }) => actor.kind === 'run' && listed === true,
    rows: (actor, { listed }) => (actor.kind === 'run' ? where(listed) : undefined),
  },
  /** All callers, signed in or not, where it is public; but a token of one agent is only for that agent. */
  anyone_if_listed: {
    holds: (actor, { listed }) => listed === true && actor.kind !== 'api_token',
    rows: (actor, { listed }) => (actor.kind === 'api_token' ? undefined : where(listed)),
  },
  /**
   * An operator, of what belongs to the installation: they have the same rights over accounts as other users.
   */
  operator: {
    holds: (actor, { operated }) => actor.kind === 'user' && actor.operator && operated === true,
    rows: (actor, { operated }) => (actor.kind === 'user' && actor.operator ? where(operated) : undefined),
  },
  /** The identity provider of the organization that it is in. */
  organizations_scim: {
    holds: (actor, { owner }) => actor.kind === 'org_scim' && actor.organization_id === owner,
    rows: (actor, { owner }) => (actor.kind === 'org_scim' ? equal(owner, 'may_organization', actor.organization_id) : undefined),
  },
  /** A part of the platform. */
  platform: {
    holds: (actor) => actor.kind === 'platform',
    rows: (actor) => (actor.kind === 'platform' ? where('true') : undefined),
  },
} as const satisfies Record<string, RelationRule>;

type Relation = keyof typeof RELATIONS;

const own: readonly Relation[] = ['owner'];
const seen: readonly Relation[] = ['owner', 'user_if_listed'];
const operators: readonly Relation[] = ['operator'];
const provisioned: readonly Relation[] = ['organizations_scim'];
const ownOrSourceToken: readonly Relation[] = ['owner', 'source_write_token'];
const ownOrTheirRun: readonly Relation[] = ['owner', 'owners_run'];

/**
 * Each action of a person or an agent, and who may do it. Words are `<concept>.<verb>`, as in the audit log.
 */
export const RULES = {
  'account_access.read': seen,
  'agent.call': ['anyone_if_listed', 'owner', 'agents_token', 'same_authors_run', 'platform'],
  'agent.delete': own,
  'agent.deploy': own,
  'agent.discover': ['same_authors_run', 'run_if_listed'],
  'agent.import': own,
  'agent.inspect': own,
  'agent.install': seen,
  'agent.list_installed': own,
  'agent.openapi': ['anyone_if_listed', 'owner', 'agents_token'],
  'agent.publish': own,
  'agent.read': seen,
  'agent.redeploy': own,
  'agent.register': own,
  'agent.reuse_policy': own,
  'agent.update_template': own,
  'agent.uptime': ['anyone_if_listed', 'owner'],
  'agent.upgrade': own,
  'agent.visibility': own,
  'agent_api_token.create': own,
  'agent_api_token.list': own,
  'agent_api_token.revoke': own,
  'agent_auth.connect': own,
  'agent_auth.disconnect': own,
  'agent_auth.read': own,
  'agent_consent.give': seen,
  'agent_consent.list': own,
  'agent_consent.withdraw': own,
  'agent_memory.delete': ownOrTheirRun,
  'agent_memory.put': ownOrTheirRun,
  'agent_memory.read': ownOrTheirRun,
  'agent_secret.delete': own,
  'agent_secret.list': own,
  'agent_secret.put': own,
  'agent_session.authorize': seen,
  'approval.delegate': own,
  'approval.policy': own,
  'approval.read': own,
  'approval.vote': own,
  'artifact.read': ['owner', 'caller', 'same_run', 'calling_run'],
  'billing.cancel': own,
  'billing.check_out': own,
  'billing.metrics': operators,
  'billing.portal': own,
  'billing.read': own,
  'bounty.cancel': own,
  'bounty.claim': own,
  'bounty.fulfill': own,
  'bounty.post': own,
  'bounty.read': own,
  'allowed_origins.get': own,
  'allowed_origins.set': own,
  'caller_scopes.give': own,
  'caller_scopes.list': own,
  'caller_scopes.withdraw': own,
  'billing_override.put': operators,
  'billing_override.read': operators,
  'autopilot.look': own,
  'autopilot.read': own,
  'autopilot.set': own,
  'chat.turn': own,
  'control_room.policy': own,
  'control_room.read': own,
  'control_policy.put': operators,
  'machinery.read': operators,
  'worker_build.list': operators,
  'worker_build.set_current': operators,
  'control_policy.read': operators,
  'charge.read': own,
  'cli_session.create': own,
  'code_editor.disable': own,
  'code_editor.enable': own,
  'code_editor.read': own,
  'consumer_setup.delete': own,
  'consumer_setup.put': seen,
  'consumer_setup.read': seen,
  'compliance.enforce': own,
  'compliance.export': own,
  'compliance.policy': own,
  'compliance.profile': own,
  'compliance.read': own,
  'credits.check_out': own,
  'credits.read': own,
  'dag.read': own,
  'deployment.read': own,
  'dev_box.open': own,
  'domain.add': own,
  'domain.list': own,
  'domain.remove': own,
  'domain.verify': own,
  'database.bind': own,
  'database.branch': own,
  'database.create': own,
  'database.delete': own,
  'database.read': own,
  'database.reveal': own,
  'database.rotate': own,
  'dataset.change': own,
  'dataset.read': own,
  'evaluation.cancel': own,
  'evaluation.consent': seen,
  'evaluation.list_consents': own,
  'evaluation.read': own,
  'evaluation.start': own,
  'evaluation_rule.delete': own,
  'evaluation_rule.put': own,
  'evaluation_rule.read': own,
  'evidence.read': seen,
  'evidence.read_all': own,
  'feature_flag.delete': operators,
  'feature_flag.list': operators,
  'feature_flag.override': operators,
  'feature_flag.put': operators,
  'feature_flag.read': own,
  'feature_flag.read_user': operators,
  'file.delete': own,
  'file.move': own,
  'file.read': own,
  'file.write': own,
  'finding.answer': own,
  'finding.read': own,
  'grant.mint': own,
  'grant.read': own,
  'grant.revoke': own,
  'grant.use': own,
  'insights.read': own,
  'integration_link.create': own,
  'integration_link.list': own,
  'integration_link.revoke': own,
  'job.cancel': own,
  'job.read': own,
  'brain.change': own,
  'brain.dispatch': own,
  'brain.read': own,
  'brain.runtime': own,
  'team.approve': own,
  'team.plan': own,
  'team.read': own,
  'team.remember': own,
  'team.run': own,
  'studio.read': own,
  'studio.resolve': own,
  'studio.run': own,
  'trial_room.create': own,
  'trial_room.rate': own,
  'trial_room.read': own,
  'trial_room.run': own,
  'trial_room.select': own,
  'kernel_run.read': own,
  'kernel_run.replay': own,
  'kernel_run.start': own,
  'llm_credential.delete': own,
  'llm_credential.list': own,
  'llm_credential.put': own,
  'llm_grant.create': ['platform'],
  'llm_usage.read': own,
  'mailbox.create': own,
  'mailbox.read': own,
  'mailbox.remove': own,
  'mailbox.update': own,
  'meta_run.create': ownOrTheirRun,
  'meta_run.read': ownOrTheirRun,
  'meta_run.update': ownOrTheirRun,
  'account.follow': own,
  'notifications.read': own,
  'notifications.set': own,
  'onboarding.read': own,
  'onboarding.update': own,
  'operator.login': operators,
  'price.end': own,
  'price.put': own,
  'price.read': ['owner', 'user_if_listed', 'same_authors_run', 'run_if_listed'],
  'plan.put': operators,
  'plan.read': operators,
  'proof.read': own,
  'proof.run': seen,
  'organization.audit': own,
  'organization.create': own,
  'organization.join': own,
  'organization.leave': own,
  'organization.list': own,
  'organization.manage': own,
  'organization.read': own,
  'organization.sso_unlink': own,
  'scim_token.create': own,
  'scim_token.revoke': own,
  'payout.metrics': own,
  'payout.read': own,
  'payout.settle': operators,
  'payout.owed': operators,
  'payout_account.open': own,
  'proof.withdraw': own,
  'policy_decision.read': own,
  'policy_rules.put': own,
  'policy_rules.read': own,
  'policy_rules.test': own,
  'proposal.decide': own,
  'protocol.create': own,
  'protocol.move': own,
  'protocol.read': own,
  'receipt.read': ['caller'],
  'receipt.read_all': own,
  'receipt.report': own,
  'rehearsal.note': own,
  'rehearsal.read': own,
  'rehearsal.start': own,
  'rehearsal.stop': own,
  'review.read': own,
  'review_loop.event': ['owner', 'same_run'],
  'review_loop.read': own,
  'review_loop.start': own,
  'review_loop.stop': own,
  'run.rate': own,
  'run.read': ['owner', 'calling_run'],
  'schedule.create': own,
  'schedule.delete': own,
  'schedule.read': own,
  'schedule.run': own,
  'schedule.update': own,
  'scim_group.create': provisioned,
  'scim_group.delete': provisioned,
  'scim_group.read': provisioned,
  'scim_group.update': provisioned,
  'scim_user.create': provisioned,
  'scim_user.delete': provisioned,
  'scim_user.read': provisioned,
  'scim_user.update': provisioned,
  'scim_role.put': own,
  'self_healing.read': own,
  'service_token.create': operators,
  'service_access.read': own,
  'session.read': own,
  'session.start': own,
  'sign_in.end': own,
  'sign_in.list': own,
  'setting.put': operators,
  'setting.read': operators,
  'source.deploy': ownOrSourceToken,
  'source.describe': own,
  'source.push': ownOrSourceToken,
  'source.read': ['owner', 'source_token'],
  'source.save': ownOrSourceToken,
  'source.webhook': ['platform'],
  'source_token.create': ['owner', 'platform'],
  'source_token.release': ['platform'],
  'subagent_run.read': own,
  'subagent_run.rerun': own,
  'subagent_run.track': ['owner', 'same_run', 'addressees_run'],
  'test_money.use': own,
  'thread.create': own,
  'thread.delete': own,
  'thread.read': own,
  'thread.update': own,
  'user.list': operators,
  'user.purge': operators,
  'user.read': own,
  'shared_memory.delete': ['owner', 'agents_run'],
  'shared_memory.put': ['owner', 'agents_run'],
  'shared_memory.read': ['owner', 'agents_run'],
  'wait.answer': ['recipient'],
  'wait.read': ['recipient'],
  'wait.resolve': ['recipient'],
  'workflows.read': operators,
} as const satisfies Record<string, readonly Relation[]>;

export type Action = keyof typeof RULES;

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
