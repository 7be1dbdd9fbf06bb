// What all adapters share: an agent class around a function, with the types that the framework declares.
import { Agent, skill, type RunContext, type Skill, type z } from '../index.ts';
import { during } from './run.ts';

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;
/**
 * A schema of zod 4 or of another library that follows standardschema.dev, from whichever copy of it; only
 * its types are read here.
 */
export interface Typed<Input = unknown, Output = Input> {
  readonly '~standard': { readonly types?: { readonly input: Input; readonly output: Output } | undefined };
}
export type Schema = Typed | JsonSchema;
export type InputOf<T> = T extends Typed<infer Input, unknown> ? Input : Record<string, unknown>;
export type OutputOf<T> = T extends Typed<unknown, infer Output> ? Output : unknown;

const ATTRIBUTES = [
  'authModel',
  'authResolver',
  'capabilities',
  'concurrency',
  'configModel',
  'consumerSetup',
  'egress',
  'inputModes',
  'lifecycle',
  'outputModes',
  'requiredEnv',
  'requiredSecrets',
  'resources',
  'state',
  'toolsUsed',
  'workspaceAccess',
] as const satisfies readonly (keyof Agent)[];

/**
 * Options of every adapter; the rest are attributes of the agent: `concurrency`, `resources`, `requiredEnv` …
 */
export interface AgentOptions extends Partial<Pick<Agent, (typeof ATTRIBUTES)[number]>> {
  name: string;
  description: string;
  /** default 0.1.0 */
  version?: string;
}

export interface SkillOptions<S extends string, I extends Schema, O extends Schema> extends AgentOptions {
  /** Name of the skill; default `run`. */
  skill?: S;
  /** In place of what the framework declares. */
  input?: I;
  output?: O;
  /** Seconds that an approval or an interrupt waits for a person; default: a day. */
  askSeconds?: number;
}

/** A class, to be exported: `svc.yaml` names it as `entrypoint: agent:default` or by its name. */
export type Adapted<S extends string, Args, Result> = new () => Agent & Record<S, Skill<InputModel<Args>, OutputModel<Result>>>;
type InputModel<Args> = z.ZodObject & { readonly _zod: { readonly input: Args } };
type OutputModel<Result> = z.core.$ZodType & { readonly _zod: { readonly output: Result } };

/** A function that is run for a skill: with the run and the arguments that the caller gave. */
export type Work = (ctx: RunContext, args: Readonly<Record<string, unknown>>) => Promise<unknown>;

export interface AdaptedSkill {
  description: string;
  tags?: readonly string[];
  input: Schema;
  output?: Schema | undefined;
  readOnly?: boolean;
  work: Work;
}

/** One skill of an adapter, as a field of the class. */
export function adaptedSkill({ description, tags = [], input, output, readOnly, work }: AdaptedSkill): Skill {
  const given = readOnly === undefined ? {} : { readOnly };
  const declaration = { description, tags, stream: true, ...given, ...declared('input', input), ...(output && declared('output', output)) };
  return skill(declaration, async (ctx, args) => during(ctx, () => work(ctx, args)));
}

/** @param life what starts and ends with the agent */
export function agentClass<S extends string, Args, Result>(
  options: AgentOptions,
  skills: Readonly<Record<string, Skill>>,
  life: Partial<Pick<Agent, 'startup' | 'shutdown'>> = {},
): Adapted<S, Args, Result> {
  const { name, description, version = '0.1.0' } = options;
  const more = Object.fromEntries(ATTRIBUTES.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]])));
  const AdaptedAgent = class extends Agent {
    override readonly name = name;
    override readonly description = description;
    override readonly version = version;
    constructor() {
      super();
      Object.assign(this, more, skills, life);
    }
  };
  // Safe: the constructor has set the skills; their schemas are those that the types were taken from.
  return AdaptedAgent as unknown as Adapted<S, Args, Result>;
}

/**
 * zod checks what it declares; of other libraries the JSON Schema is published. @throws Error where there is
 * none
 */
function declared(as: 'input' | 'output', schema: Schema): object {
  if ('_zod' in schema) return { [as]: schema };
  if (!('~standard' in schema)) return { [`${as}Schema`]: schema };
  const { jsonSchema } = schema['~standard'] as { jsonSchema?: Record<'input' | 'output', (options: object) => JsonSchema> };
  if (!jsonSchema) throw new Error(`${as}: give a schema of zod 4, or a JSON Schema`);
  const { $schema: _, ...plain } = jsonSchema[as]({ target: 'draft-2020-12' });
  return { [`${as}Schema`]: plain };
}
