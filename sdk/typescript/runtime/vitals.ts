// Calls the author's health() every few seconds once the agent has started. False takes the agent out of
// service, true brings it back. The message of an SvcError is a reason for callers; any other error goes to
// the log.
import { Agent } from '../authoring/agent.ts';
import type { Log } from '../authoring/context.ts';
import { SvcError } from '../authoring/errors.ts';
import { errorFields } from './log.ts';

export type Health = { ok: true } | { ok: false; reason: string };
/** The result is unknown: the last known one stays. */
export class HealthUnknown extends Error {}

const WITHIN_MS = 5_000;
export const MAX_REASON = 500;
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

  /** The last known result. */
  get health(): Health {
    return this.#health;
  }

  /** Undefined: no answer in time, or unknown. */
  ask(): Promise<Health | undefined> {
    return (this.#asking ??= this.#ask().finally(() => (this.#asking = undefined)));
  }

  /** Calls `hear` at each change, and at once when the agent is out of service. */
  follow(hear: (health: Health) => void): void {
    this.#hear.add(hear);
    if (!this.#health.ok) hear(this.#health);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async #ask(): Promise<Health | undefined> {
    const health = await this.#answer();
    // Until startup has run, the agent takes no calls anyway.
    if (!health || !this.#started()) return health;
    const before = this.#health;
    this.#health = health;
    if (before.ok === health.ok && (health.ok || before.ok || before.reason === health.reason)) return health;
    if (health.ok) this.#log.info('health() is true again: the agent takes calls');
    else this.#log.warn('health() took the agent out of service', { reason: health.reason });
    for (const hear of this.#hear) hear(health);
    return health;
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
      return { ok: false, reason: "the agent's health check failed; see its log" };
    } finally {
      clearTimeout(timer);
    }
  }
}
