// Runs a world step by step. The same specification, seed and answers give the same steps and the same
// digests on every machine: nothing else goes in.
import {
  activateEdge,
  emitSignal,
  handOn,
  proposeEdge,
  recordOutcome,
  revokeCapability,
  scoreParticipant,
  startProcess,
  stopProcess,
  useEdge,
} from './acts.ts';
import { type AgentTurn, turnIn } from './agent-turn.ts';
import type { SimGrant } from './authority.ts';
import { chained, genesisOf } from './digest.ts';
import { brokenBound, brokenRule, type Violation } from './invariants.ts';
import { KINDS } from './kinds/index.ts';
import type { SimulationSpec } from './spec.ts';
import { type Actor, COMMONS, type Laws, OUTSIDE, PLATFORM, World } from './world.ts';

/** Counts the changes of what the engine does. A run says which engine made its digests. */
export const ENGINE = 'svc-kernel-1';

export interface SimulationIn {
  spec: SimulationSpec;
  /** 0 to 2^32 - 1. */
  seed: number;
  /** Turns that agents of the platform take, in order; 0: none. */
  calls?: number;
  /** What those agents answered, in order. */
  answers?: readonly unknown[];
  laws?: Partial<Laws>;
}

export interface Step {
  step: number;
  digest: string;
  sample: Readonly<Record<string, number>>;
  violation: Violation | undefined;
}

/** A turn for which an answer is needed. */
export interface Question {
  call: number;
  step: number;
  actor: string;
  observation: Record<string, unknown>;
}

export class Simulation {
  readonly #spec: SimulationSpec;
  readonly #answers: readonly unknown[];
  readonly #turns: Map<number, { call: number; actor: number }>;
  readonly #order: Int32Array;
  readonly world: World;
  readonly #given: unknown;
  #digest: string | undefined;
  #violation: Violation | undefined;

  constructor({ spec, seed, calls = 0, answers = [], laws }: SimulationIn) {
    this.#spec = spec;
    this.#answers = answers;
    this.#given = { engine: ENGINE, spec, seed, calls };
    this.world = new World(spec, KINDS[spec.kind], seed, laws);
    this.#order = Int32Array.from(this.world.actors.keys());
    this.#turns = turnsOf(spec, calls);
  }

  get step(): number {
    return this.world.step;
  }

  get ended(): boolean {
    return this.#violation !== undefined || this.world.step >= this.#spec.steps;
  }

  /** What must be answered before the next step; undefined: nothing. */
  question(): Question | undefined {
    const turn = this.#turns.get(this.world.step + 1);
    if (this.ended || !turn || turn.call < this.#answers.length) return undefined;
    const actor = this.world.actors[turn.actor];
    if (!actor) return undefined;
    return { call: turn.call, step: this.world.step + 1, actor: actor.id, observation: this.#observation(actor) };
  }

  /** @throws where it has ended, or an answer is needed */
  async next(): Promise<Step> {
    if (this.ended) throw new Error('The simulation has ended');
    if (this.question()) throw new Error('The simulation waits for an answer');
    const before = (this.#digest ??= await genesisOf(this.#given));
    const { sample, bytes } = this.#advance();
    this.#digest = await chained(before, bytes);
    return { step: this.world.step, digest: this.#digest, sample, violation: this.#violation };
  }

  /** How well it went, in thousandths of a point. */
  score(): number {
    return this.world.kind.score(this.world);
  }

  #advance(): { sample: Readonly<Record<string, number>>; bytes: Uint8Array } {
    const { world } = this;
    world.step += 1;
    world.before = { ...world.counts };
    world.record.add(world.step);
    for (const actor of world.actors) actor.used = 0;
    for (const act of this.#spec.script) if (act.at_step === world.step) this.#perform(act);
    const turn = this.#turns.get(world.step);
    if (turn) this.#decided(turn);
    world.random.shuffle(this.#order);
    for (const index of this.#order) {
      const actor = world.living(index);
      if (actor && index !== turn?.actor) actor.strategy.act(world, actor);
    }
    world.kind.settle(world);
    const broken = brokenRule(world);
    this.#expire();
    const sample = world.kind.sample(world);
    this.#violation = broken ?? brokenBound(world, this.#spec, sample);
    for (const account of [OUTSIDE, PLATFORM, COMMONS]) world.record.add(world.book.balance(account));
    for (const { account } of world.actors) world.record.add(world.book.balance(account));
    world.record.add(world.grants.size);
    world.allowed = [];
    world.made = [];
    return { sample, bytes: world.record.take() };
  }

  /**
   * What has ended is forgotten, and with it what came from it; budget that was not spent goes back to the
   * parent.
   */
  #expire(): void {
    const { world } = this;
    const ended: SimGrant[] = [];
    for (const grant of world.grants.values()) if (grant.revoked || grant.expires <= world.step) ended.push(grant);
    // Children are younger than their parents.
    for (const grant of ended.toReversed()) {
      world.grants.delete(grant.id);
      world.actors[grant.holder]?.grants.delete(grant);
      const parent = world.grants.get(grant.parent);
      if (!parent) continue;
      parent.children.delete(grant);
      parent.given -= grant.budget - grant.spent - grant.given;
    }
  }

  #perform({ actor: id, act, target: targetId, port: portId, value }: SimulationSpec['script'][number]): void {
    const { world } = this;
    const actor = this.#actor(id);
    const target = this.#actor(targetId ?? id);
    const port = this.#spec.ports.findIndex((one) => one.port_id === portId);
    if (!actor || !target) return;
    const [grant] = actor.grants;
    if (act === 'emit_signal') emitSignal(world, actor, value);
    else if (act === 'record_outcome') recordOutcome(world, actor, target, value > 0);
    else if (act === 'score_participant') scoreParticipant(world, actor, target, value);
    else if (act === 'propose_edge') proposeEdge(world, actor, port);
    else if (act === 'activate_edge') activateEdge(world, actor, target, port);
    else if (act === 'use_edge') useEdge(world, actor, port);
    else if (act === 'start_process') startProcess(world, actor, Math.max(1, value));
    else if (act === 'stop_process') stopProcess(world, actor);
    else if (act === 'revoke_capability' && grant) revokeCapability(world, actor, grant);
    else if (act === 'delegate' && grant) handOn(world, actor, target, value);
  }

  /** An agent's answer takes the place of its strategy; what is no answer is a turn not taken. */
  #decided({ call, actor: index }: { call: number; actor: number }): void {
    const actor = this.world.living(index);
    const decided: AgentTurn | undefined = turnIn(this.#answers[call]);
    this.world.record.add(decided ? 1 : 0);
    if (!actor || !decided) return;
    this.#perform({ ...decided, at_step: this.world.step, actor: actor.id });
  }

  #actor(id: string): Actor | undefined {
    return this.world.actors.find((one) => one.id === id && one.alive);
  }

  #observation(actor: Actor): Record<string, unknown> {
    const { world } = this;
    return {
      kind: this.#spec.kind,
      step: world.step + 1,
      steps: this.#spec.steps,
      actor: actor.id,
      role: actor.role,
      balance_micros: world.balance(actor),
      signal: actor.signal,
      actors: world.actors.slice(0, 50).map(({ id, role, alive, signal, points }) => ({ id, role, alive, signal, points })),
      ports: world.ports
        .slice(0, 120)
        .map(({ index, price, owner }) => ({ id: this.#spec.ports[index]?.port_id, actor: world.actors[owner]?.id, price_micros: price })),
      measured: world.kind.sample(world),
    };
  }
}

function turnsOf(spec: SimulationSpec, calls: number): Map<number, { call: number; actor: number }> {
  const agents = spec.actors.flatMap(({ agent }, index) => (agent ? [index] : []));
  const turns = new Map<number, { call: number; actor: number }>();
  if (agents.length === 0) return turns;
  // Spread over the steps: each takes one at most.
  for (let call = 0; call < Math.min(calls, spec.steps); call += 1) {
    turns.set(1 + Math.floor((call * spec.steps) / calls), { call, actor: agents[call % agents.length] ?? 0 });
  }
  return turns;
}
