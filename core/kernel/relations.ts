// How an actor stands to a resource: its owner, the run that made it, whom a question is put to … Each is
// said of one resource, and of the rows of a table.
import type { WaitsRow } from '#db/tables.ts';
import { type Actor, personOf, type UserActor } from './ctx.ts';

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

export const RELATIONS = {
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

export type Relation = keyof typeof RELATIONS;
