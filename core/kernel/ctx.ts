// One context for every verb: who acts, on what, with which drivers, at what time.
import type { Knex } from 'knex';
import type { Permission } from '#contract/platform/control-policy.ts';
import type { CallPurpose, OrganizationRole } from '#contract/states.ts';
import type { TraceContext } from '#contract/wire/trace-context.ts';
import type { Drivers } from './drivers.ts';
import type { Followers } from './followers.ts';
import type { SsoProof } from './sso.ts';

/** What operators forbid the accounts behind an actor; absent: nothing. policy.ts asks it. */
interface Controlled {
  denied?: readonly Permission[];
}

/** As what a person acts for an organization. */
export interface Membership {
  member_id: string;
  organization_id: string;
  slug: string;
  role: OrganizationRole;
  /** The person's own account. */
  person_id: string;
}

export interface UserActor extends Controlled {
  kind: 'user';
  /**
   * The account that is acted for: whose things are read, made and paid. The person's own, or that of the
   * organization of `member`.
   */
  user_id: string;
  /** Of the person. */
  email: string;
  /** Absent: they act for themselves. policy.ts holds what they do against the role. */
  member?: Membership;
  /** True for an operator account. */
  operator: boolean;
  /**
   * How the request proved it: a bearer token, the dashboard's cookie, or the session of one agent's origin,
   * only at that agent's address.
   */
  via: 'bearer' | 'session' | 'agent_session';
  /** The session was made by an organization's own sign-in; absent: by that of the installation. */
  sso?: SsoProof;
  /** Strangers are not served: all it may do is to accept the invitation that it has. policy.ts asks it. */
  only_joins?: true;
  /**
   * The only organization that it acts for: its provider made the session, and the person has not linked the
   * account. Absent: all that is the person's.
   */
  limited_to?: string;
  /** When the person proved who they are, milliseconds since the epoch; absent: it is not known. */
  signed_in_at?: number;
  /**
   * The sign-in that the request belongs to: an id of web_sessions, platform_tokens or program_sign_ins. What
   * it opens ends with it.
   */
  sign_in?: string;
}

/**
 * The account of the person themselves, for whomever they act: who did it, whose session it is, who is asked.
 */
export function personOf(actor: UserActor): string {
  return actor.member?.person_id ?? actor.user_id;
}

interface ApiTokenActor extends Controlled {
  kind: 'api_token';
  token_id: string;
  agent_id: string;
  owner_id: string;
  /** The only skills that it may call; absent: all. */
  skills?: readonly string[];
}
/** A service of the platform itself. */
interface PlatformActor extends Controlled {
  kind: 'platform';
  service: string;
  /** Absent: it is a process of the platform. */
  token_id?: string;
  /** The account that answers for the service; absent: the installation. */
  user_id?: string;
  /** The only routes that it may call, each `METHOD /path` as declared; absent: all of scope platform. */
  routes?: readonly string[];
}
/**
 * A running skill of an agent, by its run credential. It acts for its caller as far as grants say, never as
 * its caller.
 */
export interface RunActor extends Controlled {
  kind: 'run';
  run_id: string;
  agent_id: string;
  agent_name: string;
  deploy_id: string;
  /** Owner of the agent. */
  owner_id: string;
  skill: string;
  /**
   * On whose behalf: the user of ours who called, directly or through other agents; null where no user did.
   */
  user_id: string | null;
  /**
   * Where `user_id` is the account of an organization: the member who called the first run of the chain for
   * it.
   */
  person_id?: string;
  /** Why the platform itself made the call; absent: somebody wanted its answer. */
  purpose?: CallPurpose;
  /** Who called this run. */
  caller: { kind: string; id: string | null };
  /** `agent/skill` of every call that led here, this run last. */
  chain: readonly string[];
  parent_run_id: string | null;
  /** The first run of the chain of calls; absent: this one. */
  root_run_id?: string;
  thread_id: string | null;
  job_id: string | null;
  /** Milliseconds since the epoch. */
  started_at: number;
  /** What its caller said of the trace it belongs to; absent: it follows from the ids of runs (trace.ts). */
  trace?: { trace_id: string; parent_span_id: string | null; state?: string };
  /**
   * The call of a user that waits for its answer: once it asks a person it becomes a run of its own, and
   * needs these.
   */
  adoptable?: { input_sha256: string; grant_id: string | null };
  /** Push addresses that the request which began it names, each as SHA-256. */
  names?: readonly string[];
  /**
   * No run: a caller looks at their data at the agent. It opens only that data
   * (contract/run/caller-resources.ts), and calls nothing.
   */
  looks?: true;
}
/**
 * A person's session at one agent's origin. It says who they are, to that agent; at the platform it opens GET
 * /v1/me and nothing else.
 */
export interface AgentSessionActor extends Controlled {
  kind: 'agent_session';
  token_id: string;
  agent_id: string;
  user_id: string;
  email: string;
  /**
   * `agent`: what the agent is given of it, by which it learns who came and cannot come itself as that
   * person.
   */
  held_by: 'person' | 'agent';
  /** It acts as this member only: by the own sign-in of the organization that the agent belongs to. */
  limited?: Membership;
}
/** A source token: it opens one agent's repository, and nothing else. */
export interface SourceTokenActor extends Controlled {
  kind: 'source_token';
  token_name: string;
  agent_id: string;
  agent_name: string;
  owner_id: string;
  mode: 'read' | 'write';
}
/**
 * An organization's identity provider, by a SCIM token: it says who the people of that organization are, and
 * does nothing else.
 */
export interface OrgScimActor extends Controlled {
  kind: 'org_scim';
  token_id: string;
  organization_id: string;
  slug: string;
  /** Of who issued the token, now: it gives no more than its issuer has. */
  role: OrganizationRole;
}
export interface AnonymousActor {
  kind: 'anonymous';
}
export type Actor = UserActor | ApiTokenActor | PlatformActor | RunActor | AgentSessionActor | SourceTokenActor | OrgScimActor | AnonymousActor;

/** Facts of the installation that verbs put into what they answer. */
export interface PlatformConfig {
  /** Where the dashboard and API are, without a trailing slash: `http://localhost:8080`. */
  baseUrl: string;
  /**
   * What follows `<agent>.` in agents' addresses, with the port when it is not the default: `localhost:8080`.
   */
  agentsDomain: string;
  /** Further host names of the API. */
  apiHosts?: readonly string[] | undefined;
  /** By which hostings sign their webhooks; absent: none are taken. Never part of an answer. */
  scmWebhookSecret?: string | undefined;
  /** Where Temporal's Web UI lists the workflows; absent: it is not known. */
  workflowsUrl?: string | undefined;
  /** Custom domains of agents; absent: records point at the agent's own name, and https is a proxy's. */
  domains?: DomainSettings | undefined;
}

interface DomainSettings {
  /**
   * Where people's records have to point: names or addresses of the operator's entry; absent or empty: the
   * agent's own name.
   */
  targets?: readonly string[] | undefined;
  /** The API itself speaks https, with the certificates of custom domains. */
  https?: boolean | undefined;
}

export interface Ctx {
  actor: Actor;
  config: PlatformConfig;
  db: Knex;
  drivers: Drivers;
  followers: Followers;
  /** Milliseconds since the epoch. */
  clock: () => number;
  requestId: string;
  /** Where the request came from, as a person reads it of their sign-ins. */
  from?: { address: string; userAgent: string | null } | undefined;
  /** Where the request stands in a trace of its caller (traceparent). */
  trace?: TraceContext | undefined;
  /** What is called is called by the platform itself, so that lists can leave it out. */
  purpose?: CallPurpose | undefined;
}

/** The context of a transaction. */
export interface TxCtx extends Ctx {
  db: Knex.Transaction;
}

/** `C` within a transaction. */
export type InTx<C extends Ctx> = Omit<C, 'db'> & { db: Knex.Transaction };
