// Whether the agent takes calls, by its author's health(): asked every few seconds once it has started. False takes it out of service, true
// brings it back. An error of ours (SvcError) carries a reason for callers; of any other the log has it.
import { Agent } from '../authoring/agent.ts';
import type { Log } from '../authoring/context.ts';
import { SvcError } from '../authoring/errors.ts';
import { errorFields } from './log.ts';

export type Health = { ok: true } | { ok: false; reason: string };
/** Nobody knows at the moment: what was known stays. */
export class HealthUnknown extends Error {}

const WITHIN_MS = 5_000;
const MAX_REASON = 500;
const WELL: Health = { ok: true };

export class Vitals {
  readonly #agent: Agent;
  readonly #log: Log;
  readonly #started: () => boolean;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #hear = new Set<(health: Health) => void>();
  #health: Health = WELL;
  #asking: Promise<Health | undefined> | undefined;

  constructor(agent: Agent, log: Log, { started, everyMs }: { started: () => boolean; everyMs: number }) {
    this.#agent = agent;
    this.#log = log;
    this.#started = started;
    // Of the base class it is always true.
    if (agent.health === Agent.prototype.health) return;
    this.#timer = setInterval(() => void (started() && this.ask()), everyMs).unref();
  }

  /** As it was last heard. */
  get health(): Health {
    return this.#health;
  }

  /** Undefined: it did not answer, or does not know. */
  ask(): Promise<Health | undefined> {
    return (this.#asking ??= this.#ask().finally(() => (this.#asking = undefined)));
  }

  /** Hears of each change, and at once of what is not well. */
  follow(hear: (health: Health) => void): void {
    this.#hear.add(hear);
    if (!this.#health.ok) hear(this.#health);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async #ask(): Promise<Health | undefined> {
    const found = await this.#answer();
    // Before startup has run it is nobody's fault, and no call would change it.
    if (!found || !this.#started()) return found;
    const before = this.#health;
    this.#health = found;
    if (before.ok === found.ok && (found.ok || before.ok || before.reason === found.reason)) return found;
    if (found.ok) this.#log.info('health() is true again: the agent takes calls');
    else this.#log.warn('health() took the agent out of service', { reason: found.reason });
    for (const hear of this.#hear) hear(found);
    return found;
  }

  async #answer(): Promise<Health | undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), WITHIN_MS);
    try {
      const well = await Promise.race([Promise.resolve().then(() => this.#agent.health()), promise]);
      return well === undefined ? undefined : well ? WELL : { ok: false, reason: 'the agent took itself out of service' };
    } catch (error) {
      if (error instanceof HealthUnknown) return undefined;
      if (error instanceof SvcError) return { ok: false, reason: error.message.slice(0, MAX_REASON) };
      if (this.#health.ok) this.#log.error('health() failed', errorFields(error));
      return { ok: false, reason: "the agent's health check failed; its log says why" };
    } finally {
      clearTimeout(timer);
    }
  }
}
