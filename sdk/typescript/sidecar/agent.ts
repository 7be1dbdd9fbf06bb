// An agent whose handlers run in a worker: to the runtime it is an agent like any other.
import type { AgentDsl } from '../../../contract/wire/dsl.ts';
import { Agent } from '../authoring/agent.ts';
import { NoAuth, type AuthResolver } from '../authoring/auth.ts';
import type { RunContext } from '../authoring/context.ts';
import type { BoundSkill, Declaration } from '../authoring/declare.ts';
import { skill } from '../authoring/skill.ts';
import { HealthUnknown } from '../runtime/vitals.ts';
import { resolverOf } from './resolvers.ts';
import { authModel, inputModel, outputModel } from './schemas.ts';
import type { Supervisor } from './supervisor.ts';
import { wirePrincipal } from './principal.ts';

const HEALTH_TIMEOUT_MS = 3_000;
/**
 * Health checks in a row without an answer after which the worker is replaced, unless a new one takes longer
 * to load than this one was silent.
 */
const MAX_SILENCES = 3;

export class WorkerAgent extends Agent {
  override readonly name: string;
  override readonly description: string;
  override readonly version: string;
  override readonly authModel: NonNullable<Agent['authModel']>;
  declare readonly authResolver?: AuthResolver;
  readonly #supervisor: Supervisor;
  #asking: Promise<boolean> | undefined;
  #silences = 0;
  #silentSince = 0;

  constructor(dsl: AgentDsl, supervisor: Supervisor, secrets: () => Readonly<Record<string, string>>) {
    super();
    this.name = dsl.card.name;
    this.description = dsl.card.description;
    this.version = dsl.card.version;
    this.#supervisor = supervisor;
    const model = authModel(dsl.auth_model);
    this.authModel = model === NoAuth ? NoAuth : wirePrincipal(model, dsl.auth_model);
    const resolver = resolverOf(dsl.auth_resolver, supervisor, secrets);
    if (resolver) this.authResolver = resolver;
  }

  override async startup(): Promise<void> {
    await this.#supervisor.start();
  }
  override async shutdown(): Promise<void> {
    await this.#supervisor.end();
  }
  /** One question at a time: silence is counted in questions. */
  override health(): Promise<boolean> {
    return (this.#asking ??= this.#ask().finally(() => (this.#asking = undefined)));
  }

  async #ask(): Promise<boolean> {
    const { link } = this.#supervisor;
    if (!link) throw new HealthUnknown('no worker is there at the moment');
    if (link.reloading) throw new HealthUnknown('the worker loads changed code');
    const since = performance.now();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), HEALTH_TIMEOUT_MS);
    const healthy = await Promise.race([link.health(), promise]).finally(() => clearTimeout(timer));
    // One that says other things meanwhile is slow, not stuck.
    const silent = healthy === undefined && link.heardAt < since && !link.reloading;
    if (this.#silences === 0) this.#silentSince = since;
    this.#silences = silent ? this.#silences + 1 : 0;
    // Where loading takes long, under emulation or with a small share of a processor, so does what a
    // framework prepares in its first call. Of its runs those decide that have time left or wait: it is not
    // ended over them.
    if (this.#silences >= MAX_SILENCES && link.live === 0 && performance.now() - this.#silentSince >= this.#supervisor.loadedInMs) {
      this.#silences = 0;
      link.close(
        'the worker did not answer: code outside of a run may be blocking its loop (move such work to a thread), or memory may be short (ask for more in resources.memory)',
      );
    }
    if (healthy === undefined) throw new HealthUnknown('the worker did not answer');
    return healthy;
  }
}

/** What declare() finds out of a class, from the card. @throws WorkerFailed */
export function declarationOf({ card }: AgentDsl, supervisor: Supervisor): Declaration {
  const skills = card.skills.map((skillCard): [string, BoundSkill] => {
    const input = inputModel(skillCard);
    const handler = async (ctx: RunContext, args: Record<string, unknown>): Promise<unknown> =>
      await supervisor.ask((link) => link.invoke(skillCard.id, ctx, args));
    return [skillCard.id, { id: skillCard.id, field: skillCard.id, card: skillCard, skill: skill({ input }, handler), input, output: outputModel(skillCard) }];
  });
  return { card, skills: new Map(skills), resources: [] };
}
