// A world: its actors, their money, grants, edges and processes. No clock and no randomness but the seed's.
// Everything that happens goes into the record.
import { FairOrder, type Place } from '../../wire/fair-order.ts';
import { Book, splitMicros } from '../../wire/ledger.ts';
import { authorityFault, decide, type Policy, regionOf, type Request, type SimGrant } from './authority.ts';
import { Recorder } from './digest.ts';
import type { Kind, Strategy } from './kind.ts';
import { Random } from '../../wire/random.ts';
import type { SimulationSpec } from './spec.ts';
import type { TrustFacts } from './trust.ts';

/** Accounts without an actor; those of actors follow. */
export const OUTSIDE = 0;
export const PLATFORM = 1;
export const COMMONS = 2;
const FIRST_ACCOUNT = 3;

/** Grants that one actor holds at the same time. */
export const MAX_ACTOR_GRANTS = 16;
/** Edges that one actor keeps; the oldest goes for a new one. */
export const MAX_EDGES = 16;

export interface Actor extends TrustFacts {
  index: number;
  id: string;
  role: string;
  strategy: Strategy;
  strategyName: string;
  parameters: Readonly<Record<string, number>>;
  account: number;
  alive: boolean;
  points: number;
  /** How well it does its work, in a thousand. */
  skill: number;
  /** What it said last; by kind: a price, an effort, a move. */
  signal: number;
  /** Uses of its ports in this step, and in the steps before (a mean over ten, in thousandths). */
  used: number;
  usual: number;
  /**
   * Processes that it runs, that it waits for, that it has asked for so far; and steps that it has waited
   * without one.
   */
  running: number;
  queued: number;
  asked: number;
  waiting: number;
  grants: Set<SimGrant>;
  /** By port; true: active. */
  edges: Map<number, boolean>;
  /** How often others did badly by it. */
  wronged: number;
  /** What it had at the beginning. */
  began: number;
  /** By kind: what it keeps in mind. */
  mind: number;
}

export interface Port {
  index: number;
  owner: number;
  capability: number;
  price: number;
  open: boolean;
}

export interface Process {
  owner: number;
  place: Place<Process>;
  ends: number;
  since: number;
}

/** What was allowed in this step: the invariants check it against the rules again. */
export interface Allowed extends Request {
  grant: SimGrant;
}

/** The pure functions that a world follows. Replaced only by tests that show what catches a fault in them. */
export interface Laws {
  split: typeof splitMicros;
  authorityFault: typeof authorityFault;
  decide: typeof decide;
}

const LAWS: Laws = { split: splitMicros, authorityFault, decide };

export class World {
  readonly actors: Actor[];
  readonly ports: Port[];
  readonly #roles: ReadonlyMap<string, Actor[]>;
  readonly book: Book<number>;
  readonly grants = new Map<number, SimGrant>();
  readonly capabilities: SimulationSpec['capabilities'];
  readonly policies: Policy[];
  readonly rules: Readonly<Record<string, number>>;
  readonly random: Random;
  readonly record = new Recorder();
  readonly order: FairOrder<Process>;
  readonly processes = new Set<Process>();
  readonly laws: Laws;
  readonly kind: Kind;
  /** Counted since the beginning, by name; and as it was before this step. */
  readonly counts: Record<string, number> = {};
  before: Record<string, number> = {};
  /** Of this step. */
  allowed: Allowed[] = [];
  made: SimGrant[] = [];
  /** Who last escaped from a grant. */
  breach: number | undefined;
  step = 0;
  nextGrant = 1;
  slots: number;

  constructor(spec: SimulationSpec, kind: Kind, seed: number, laws: Partial<Laws> = {}) {
    this.kind = kind;
    this.laws = { ...LAWS, ...laws };
    this.random = Random.of(seed);
    this.rules = { ...defaultsOf(kind.rules), ...spec.rules };
    this.capabilities = spec.capabilities;
    this.actors = spec.actors.map((actor, index) => newActor(kind, actor, index));
    this.#roles = Map.groupBy(this.actors, ({ role }) => role);
    const byId = new Map(this.actors.map(({ id, index }) => [id, index]));
    const named = new Map(spec.capabilities.map(({ capability_id }, at) => [capability_id, at]));
    this.ports = spec.ports.map(({ actor, capability, price_micros, open }, index) => ({
      index,
      owner: byId.get(actor) ?? 0,
      capability: capability === undefined ? -1 : (named.get(capability) ?? -1),
      price: price_micros,
      open,
    }));
    const portAt = new Map(spec.ports.map(({ port_id }, at) => [port_id, at]));
    for (const { port, actor, active } of spec.edges) this.actors[byId.get(actor) ?? 0]?.edges.set(portAt.get(port) ?? 0, active);
    this.policies = spec.policies.map(({ effect, actor, action, from_step, to_step }) => ({
      effect,
      actor: actor === undefined ? undefined : byId.get(actor),
      action,
      from: from_step,
      to: to_step,
    }));
    this.book = new Book(
      Array.from({ length: FIRST_ACCOUNT + this.actors.length }, (_, at) => at),
      [OUTSIDE],
    );
    for (const [at, { balance_micros }] of spec.actors.entries()) this.book.move(OUTSIDE, FIRST_ACCOUNT + at, balance_micros);
    this.slots = this.rules['slots'] ?? 4;
    this.order = new FairOrder({ maxConcurrent: this.slots, maxQueuedPerRun: 8, maxQueuedPerTenant: 8 });
    for (const capability of spec.capabilities) this.#give(capability, byId.get(capability.holder) ?? 0);
    kind.begin?.(this);
  }

  count(name: string, by = 1): void {
    this.counts[name] = (this.counts[name] ?? 0) + by;
  }

  counted(name: string): number {
    return this.counts[name] ?? 0;
  }

  balance(actor: Actor): number {
    return this.book.balance(actor.account);
  }

  rule(name: string): number {
    return this.rules[name] ?? 0;
  }

  /** Counted in this step. */
  since(name: string): number {
    return this.counted(name) - (this.before[name] ?? 0);
  }

  /** Undefined: the actor no longer takes part, or never did. */
  living(index: number): Actor | undefined {
    const actor = this.actors[index];
    return actor?.alive === true ? actor : undefined;
  }

  /** All of a role, whether they take part still or not. */
  inRole(role: string): readonly Actor[] {
    return this.#roles.get(role) ?? [];
  }

  keep(grant: SimGrant): void {
    this.grants.set(grant.id, grant);
    this.actors[grant.holder]?.grants.add(grant);
    this.made.push(grant);
  }

  #give(capability: SimulationSpec['capabilities'][number], holder: number): void {
    const { actions, allow, deny, lifetime_steps, budget_micros, max_depth } = capability;
    const limits = { actions, allow, deny, expires: lifetime_steps, budget: budget_micros, max_depth };
    this.keep({
      ...limits,
      id: (this.nextGrant += 1),
      parent: -1,
      depth: 0,
      issuer: -1,
      holder,
      spent: 0,
      given: 0,
      revoked: false,
      children: new Set(),
      region: regionOf({ allow, deny }),
    });
  }
}

export function defaultsOf(ranges: Kind['rules']): Record<string, number> {
  return Object.fromEntries(Object.entries(ranges).map(([name, { value }]) => [name, value]));
}

function newActor(kind: Kind, actor: SimulationSpec['actors'][number], index: number): Actor {
  const strategy = kind.roles[actor.role]?.[actor.strategy];
  if (!strategy) throw new Error(`${actor.role} has no strategy ${actor.strategy}`);
  return {
    index,
    id: actor.actor_id,
    role: actor.role,
    strategy,
    strategyName: actor.strategy,
    parameters: { ...defaultsOf(strategy.parameters), ...actor.parameters },
    account: FIRST_ACCOUNT + index,
    alive: true,
    points: 0,
    skill: actor.skill_permille,
    signal: 0,
    used: 0,
    usual: 0,
    running: 0,
    queued: 0,
    asked: 0,
    waiting: 0,
    grants: new Set(),
    edges: new Map(),
    wronged: 0,
    began: actor.balance_micros,
    mind: 0,
    good: 0,
    bad: 0,
    reviewed_at: 0,
    proofed_at: 0,
    critical_at: 0,
  };
}
