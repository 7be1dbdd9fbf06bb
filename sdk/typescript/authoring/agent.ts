// The class an author extends. Attributes are the specification's, in TypeScript's case.
import type { z } from 'zod';
import type { Lifecycle, SetupField, State } from '../../../contract/wire/card.ts';
import type { AuthResolver } from './auth.ts';
import type { LifecycleContext } from './context.ts';
import type { EgressPolicy, Resources, WorkspaceAccess } from './policies.ts';

/**
 * `class Greeter extends Agent { name = 'greeter'; description = '…'; version = '0.1.0'; greet = skill(…) }`
 * With a configuration: `class Greeter extends Agent<z.infer<typeof Config>> { configModel = Config; …
 * this.config … }`
 */
export abstract class Agent<Config extends object = Record<string, unknown>> {
  /** Unique on the platform; also the first label of the agent's host name. */
  abstract readonly name: string;
  abstract readonly description: string;
  /** Semantic version. */
  abstract readonly version: string;

  /** Checked before startup and then found in `config`. */
  readonly configModel?: z.ZodType<Config>;
  /** Shape of `ctx.auth`; default NoAuth. */
  readonly authModel?: z.ZodObject;
  readonly authResolver?: AuthResolver;
  readonly requiredSecrets: readonly string[] = [];
  /** Variables that the owner stores like secrets, in `process.env` from startup on. */
  readonly requiredEnv: readonly string[] = [];
  /**
   * What each caller must, or may, give the agent first: found in ctx.setup. `[{ name: 'api_key', kind:
   * 'secret', required: true }]`
   */
  readonly consumerSetup: readonly z.input<typeof SetupField>[] = [];
  readonly capabilities: Readonly<Record<string, unknown>> = {};
  readonly inputModes: readonly string[] = [];
  readonly outputModes: readonly string[] = [];
  readonly workspaceAccess?: WorkspaceAccess;
  readonly egress?: EgressPolicy;
  readonly toolsUsed: readonly string[] = [];
  readonly lifecycle?: Lifecycle;
  readonly state?: State;
  /** Refused at a deploy: memory is not checked against a schema. */
  readonly stateSchema?: z.core.$ZodType;
  readonly resources?: Resources;
  /** Calls that run at the same time; default 1. */
  readonly concurrency: number = 1;

  #config: Config | undefined;

  /**
   * The checked configuration. Not there yet while fields are initialised; it is in startup and in skills.
   */
  get config(): Config {
    if (!this.#config) throw new Error('config is read too early: read it inside a skill or startup(), not in a field initialiser');
    return this.#config;
  }

  /** Called once by the runtime, or by a test that makes an agent itself. */
  configure(config: Config): void {
    this.#config = config;
  }

  /** Once, before the first invocation. */
  async startup(_ctx: LifecycleContext): Promise<void> {}
  /** Once, before the process ends. */
  async shutdown(_ctx: LifecycleContext): Promise<void> {}
  /**
   * Asked every 5 s once the agent has started. False, or an error, takes it out of service until it is true;
   * callers read the message of AgentNotReady.
   */
  async health(): Promise<boolean> {
    return true;
  }
}

export type AgentClass = new () => Agent;

/** The fields that have an effect. */
export const SETTINGS = [
  'name',
  'description',
  'version',
  'configModel',
  'authModel',
  'authResolver',
  'requiredSecrets',
  'requiredEnv',
  'consumerSetup',
  'capabilities',
  'inputModes',
  'outputModes',
  'workspaceAccess',
  'egress',
  'toolsUsed',
  'lifecycle',
  'state',
  'stateSchema',
  'resources',
  'concurrency',
] as const satisfies readonly (keyof Agent)[];
