// skill(): one typed method an agent offers.
import type { z } from 'zod';
import type { RunContext } from './context.ts';
import type { InputModel, JsonSchema, OutputModel } from './schema.ts';

export interface SkillDeclaration<I extends InputModel = InputModel, O extends OutputModel = OutputModel> {
  /** Public name; default: the field's name. */
  name?: string;
  description?: string;
  tags?: readonly string[];
  /** Scopes the caller must hold. */
  scopes?: readonly string[];
  /** True when the skill reports while it works; callers get an event stream. */
  stream?: boolean;
  /** Seconds; null or absent: only the agent's maxRuntimeSeconds. */
  timeoutSeconds?: number | null;
  /** May be run again after a failure without harm. */
  idempotent?: boolean;
  /** How often a failure that may pass is tried again, later each time; no effect without `idempotent`. */
  maxRetries?: number;
  /** Refused at a deploy: no price or limit depends on it. */
  costClass?: string | null;
  /** May ask for a wider grant while it runs. */
  allowScopeExpansion?: boolean;
  /** The arguments, `z.object({…})`; default: none. */
  input?: I;
  /** The result; default: any JSON value. */
  output?: O;
  /**
   * Instead of `input`: a JSON Schema of type object, published as it is. What zod cannot check of it is not
   * checked; its defaults are not filled in.
   */
  inputSchema?: JsonSchema;
  /** Instead of `output`: a JSON Schema, published as it is. Results are not checked against it. */
  outputSchema?: JsonSchema;
  /** Changes nothing; MCP clients show it. */
  readOnly?: boolean;
  /** Deletes, or cannot be undone; MCP clients show it. */
  destructive?: boolean;
}

/** All that a declaration can have. */
export const SKILL_OPTIONS: readonly string[] = Object.keys({
  name: true,
  description: true,
  tags: true,
  scopes: true,
  stream: true,
  timeoutSeconds: true,
  idempotent: true,
  maxRetries: true,
  costClass: true,
  allowScopeExpansion: true,
  input: true,
  output: true,
  inputSchema: true,
  outputSchema: true,
  readOnly: true,
  destructive: true,
} satisfies Record<keyof SkillDeclaration, true>);

export type SkillHandler<I extends InputModel, O extends OutputModel> = (ctx: RunContext, args: z.output<I>) => Promise<z.core.input<O>>;

export type NoInput = z.ZodObject<Record<never, never>>;

// Known by a registered symbol, so that two copies of this package in one process recognise each other's
// skills.
const BRAND = Symbol.for('@svc/sdk/skill');

export class Skill<I extends InputModel = InputModel, O extends OutputModel = OutputModel> {
  readonly [BRAND] = true;
  readonly declaration: SkillDeclaration<I, O>;
  readonly handler: SkillHandler<I, O>;
  constructor(declaration: SkillDeclaration<I, O>, handler: SkillHandler<I, O>) {
    this.declaration = declaration;
    this.handler = handler;
  }
}

/**
 * Declares a skill: `greet = skill({ input: z.object({ name: z.string() }) }, async (ctx, { name }) => …)`
 */
export function skill<I extends InputModel = NoInput, O extends OutputModel = z.ZodUnknown>(
  declaration: SkillDeclaration<I, O>,
  handler: SkillHandler<I, O>,
): Skill<I, O> {
  return new Skill(declaration, handler);
}

export function isSkill(value: unknown): value is Skill {
  return typeof value === 'object' && value !== null && BRAND in value;
}

/** Names of the fields of an agent that are skills. */
export type SkillNames<A> = { [K in keyof A]: A[K] extends Skill<infer _I, infer _O> ? K : never }[keyof A] & string;
export type SkillArgs<S> = S extends Skill<infer I, infer _O> ? z.input<I> : never;
export type SkillResult<S> = S extends Skill<infer _I, infer O> ? z.core.output<O> : never;
