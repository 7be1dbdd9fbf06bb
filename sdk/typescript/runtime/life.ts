// An agent's hooks: startup once before the first invocation, shutdown once before the end.
import type { Agent } from '../authoring/agent.ts';
import type { LifecycleContext } from '../authoring/context.ts';
import { AgentNotReady } from '../authoring/errors.ts';
import { errorFields } from './log.ts';
import { guarded, type Cut } from './watchdog/watchdog.ts';

/** Callers wait for startup, so it may not take for ever. */
const STARTUP_TIMEOUT_MS = 60_000;

export class Life {
  readonly #agent: Agent;
  readonly #context: (hook: string) => LifecycleContext;
  #state: 'new' | Promise<void> | 'started' | AgentNotReady = 'new';

  constructor(agent: Agent, context: (hook: string) => LifecycleContext) {
    this.#agent = agent;
    this.#context = context;
  }

  get started(): boolean {
    return this.#state === 'started';
  }
  get failed(): boolean {
    return this.#state instanceof AgentNotReady;
  }

  /**
   * The first call runs the hook, others wait for it. @throws AgentNotReady when it failed, then and ever
   * after
   */
  async start(): Promise<void> {
    if (this.#state === 'started') return;
    if (this.#state instanceof AgentNotReady) throw this.#state;
    if (this.#state === 'new') this.#state = this.#startup();
    await this.#state;
  }

  async #startup(): Promise<void> {
    const context = this.#context('startup');
    try {
      const endsAt = performance.now() + STARTUP_TIMEOUT_MS;
      // A startup that blocks is ended by the timer when its time is over.
      const scope = {
        left: () => endsAt - performance.now(),
        cut: ({ stack }: Cut) => context.log.error('startup blocked the process and was ended', { stack }),
      };
      await within(
        STARTUP_TIMEOUT_MS,
        guarded(scope, () => this.#agent.startup(context)),
      );
      this.#state = 'started';
    } catch (error) {
      // A worker's own, where the hook ran in one.
      const cause = error instanceof AgentNotReady && error.cause !== undefined ? error.cause : error;
      context.log.error('startup failed; the agent takes no calls until it is restarted', errorFields(cause));
      this.#state = new AgentNotReady('the agent failed to start; see its log', { cause });
      throw this.#state;
    }
  }

  /** An agent that never started has nothing to shut down. */
  async end(): Promise<void> {
    if (this.#state !== 'started') return;
    const context = this.#context('shutdown');
    await this.#agent.shutdown(context).catch((error: unknown) => context.log.error('the shutdown hook failed', errorFields(error)));
  }
}

function within(ms: number, work: Promise<void>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error(`not done after ${ms / 1000} s`)), ms);
  work.then(resolve, reject);
  return promise.finally(() => clearTimeout(timer));
}
