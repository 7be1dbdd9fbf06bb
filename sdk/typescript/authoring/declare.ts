// From an agent object to what is served: its skills, checked against the rules, and its card.
import { z } from 'zod';
import { AgentCard, type SkillCard } from '../../../contract/wire/card.ts';
import { ANSWER_TOOL, ANSWER_TOOL_TAKEN, SkillName } from '../../../contract/wire/names.ts';
import type { Agent } from './agent.ts';
import { declareResources, type BoundResource } from './declare-resource.ts';
import { AgentDeclarationError, type DeclarationProblem } from './errors.ts';
import { closed, inputSchema, modelOfSchema, outputSchema, type InputModel, type OutputModel } from './schema.ts';
import { isSkill, type Skill } from './skill.ts';

export interface BoundSkill {
  id: string;
  /** Of the class. */
  field: string;
  card: SkillCard;
  skill: Skill;
  /** Closed. */
  input: InputModel;
  output: OutputModel | undefined;
}

export interface Declaration {
  card: AgentCard;
  skills: ReadonlyMap<string, BoundSkill>;
  /** What callers may read over MCP; not on the card. */
  resources: readonly BoundResource[];
}

const NO_INPUT = z.object({});
const AsyncFunction = (async () => {}).constructor;

/** @throws AgentDeclarationError with every problem at once */
export function declare(agent: Agent): Declaration {
  const problems: DeclarationProblem[] = [];
  const skills = new Map<string, BoundSkill>();
  for (const [field, value] of Object.entries(agent)) {
    if (!isSkill(value)) continue;
    const bound = bind(field, value, problems);
    if (!bound) continue;
    if (skills.has(bound.id)) problems.push({ attribute: field, message: `two skills are named "${bound.id}"; give one of them another name` });
    skills.set(bound.id, bound);
  }
  if (skills.size === 0 && problems.length === 0) {
    problems.push({ attribute: 'class', message: 'no skills: add a field such as `greet = skill({ description: "…" }, async (ctx, args) => …)`' });
  }
  const resources = declareResources(agent, problems);
  const card = AgentCard.safeParse(wireCard(agent, [...skills.values()], problems));
  if (!card.success) problems.push(...card.error.issues.map((issue) => problemOf(issue, [...skills.values()])));
  if (!card.success || problems.length > 0) throw new AgentDeclarationError(agent.name || agent.constructor.name, problems);
  return { card: card.data, skills, resources };
}

function bind(field: string, skill: Skill, problems: DeclarationProblem[]): BoundSkill | undefined {
  const { declaration: d, handler } = skill;
  const id = d.name ?? field;
  const say = (message: string): undefined => void problems.push({ attribute: field, message });
  if (!SkillName.safeParse(id).success) return say('the name must start with a letter, then letters, digits, _ or - (64 at most)');
  if (id === ANSWER_TOOL) return say(ANSWER_TOOL_TAKEN);
  if (typeof handler !== 'function' || handler.constructor !== AsyncFunction) return say('the handler must be asynchronous: write `async (ctx, args) => …`');
  if (handler.length > 2) return say('the handler takes the run context and one object of arguments: `async (ctx, { a, b }) => …`');
  if (d.inputSchema && d.input) return say('give input or inputSchema, not both');
  const input = d.inputSchema ? attempt(() => modelOfSchema(d.inputSchema ?? {})) : (d.input ?? NO_INPUT);
  if (input instanceof Error) return say(input.message);
  if (input._zod?.def?.type !== 'object')
    return say('input must be a z.object({ … }): one member per parameter; for a transformed value, transform its members');
  if (input._zod.def.catchall && input._zod.def.catchall._zod.def.type !== 'never') {
    return say('input must name its members: z.looseObject() and .catchall() stand for variadic parameters, which are not allowed');
  }
  try {
    return { id, field, skill, input: closed(input), output: d.output, card: skillCard(id, skill, input) };
  } catch (error) {
    return say(
      `its schema cannot be published as JSON Schema: ${error instanceof Error ? error.message : 'unknown'}; use types JSON has (z.iso.datetime() for a date)`,
    );
  }
}

function attempt<T>(make: () => T): T | Error {
  try {
    return make();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function skillCard(id: string, { declaration: d }: Skill, input: InputModel): SkillCard {
  return {
    id,
    name: id,
    description: d.description ?? '',
    tags: [...(d.tags ?? [])],
    scopes: [...(d.scopes ?? [])],
    stream: d.stream ?? false,
    policy: {
      timeout_seconds: d.timeoutSeconds ?? null,
      idempotent: d.idempotent ?? false,
      max_retries: d.maxRetries ?? 0,
      cost_class: d.costClass ?? null,
      allow_scope_expansion: d.allowScopeExpansion ?? false,
      ...(d.readOnly !== undefined && { read_only: d.readOnly }),
      ...(d.destructive !== undefined && { destructive: d.destructive }),
    },
    input_schema: d.inputSchema ? { required: [], ...d.inputSchema, additionalProperties: false } : inputSchema(input),
    output_schema: d.outputSchema ?? (d.output ? outputSchema(d.output) : {}),
  };
}

/** A value that is not an object has no members to read: the card would leave it out without an error. */
function checkPolicies({ workspaceAccess, egress, resources }: Agent, problems: DeclarationProblem[]): void {
  const check = (attribute: string, value: unknown, remedy: string) => {
    if (value !== undefined && (typeof value !== 'object' || value === null)) problems.push({ attribute, message: remedy });
  };
  check('workspaceAccess', workspaceAccess, 'use WorkspaceAccess.dynamic({ … }) or WorkspaceAccess.none()');
  check('egress', egress, "use an object, e.g. { allowHosts: ['api.example.com'] }");
  check('resources', resources, "use an object, e.g. { memory: '512Mi' }");
}

function wireCard(agent: Agent, skills: readonly BoundSkill[], problems: DeclarationProblem[]): unknown {
  const { egress, resources, workspaceAccess: access } = agent;
  checkPolicies(agent, problems);
  return {
    name: agent.name,
    description: agent.description,
    version: agent.version,
    skills: skills.map((bound) => bound.card),
    capabilities: agent.capabilities,
    input_modes: agent.inputModes,
    output_modes: agent.outputModes,
    required_secrets: agent.requiredSecrets,
    required_env: agent.requiredEnv,
    runtime: {
      lifecycle: agent.lifecycle,
      state: agent.state,
      resources: resources && { cpu: resources.cpu, memory: resources.memory, gpu: resources.gpu, max_runtime_seconds: resources.maxRuntimeSeconds },
      concurrency: agent.concurrency,
      egress: egress && {
        allow_hosts: egress.allowHosts,
        allow_internal_services: egress.allowInternalServices,
        deny_internet_by_default: egress.denyInternetByDefault,
      },
      tools_used: agent.toolsUsed,
    },
    state_schema: agent.stateSchema ? stateSchema(agent.stateSchema, problems) : null,
    workspace_access: access && {
      enabled: access.enabled,
      max_files: access.maxFiles,
      allowed_modes: access.allowedModes,
      require_reason: access.requireReason,
      deny_patterns: access.denyPatterns,
      require_human_approval: access.requireHumanApproval,
      max_total_size_bytes: access.maxTotalSizeBytes,
    },
    ...(agent.consumerSetup.length > 0 && { consumer_setup: agent.consumerSetup }),
  };
}

function stateSchema(model: OutputModel, problems: DeclarationProblem[]): Record<string, unknown> | null {
  try {
    return outputSchema(model);
  } catch (error) {
    problems.push({ attribute: 'stateSchema', message: `cannot be published as JSON Schema: ${error instanceof Error ? error.message : 'unknown'}` });
    return null;
  }
}

/**
 * The card's path as the author wrote it: runtime.resources.cpu → resources.cpu; skills.0.policy.max_retries
 * → that skill's maxRetries.
 */
function problemOf({ path, message }: z.core.$ZodIssue, skills: readonly BoundSkill[]): DeclarationProblem {
  const written = path.map((part) => String(part).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  const bound = path[0] === 'skills' ? skills[Number(path[1])] : undefined;
  if (bound) return { attribute: bound.field, message: `${written.slice(path[2] === 'policy' ? 3 : 2).join('.')}: ${message}` };
  return { attribute: written.slice(path[0] === 'runtime' ? 1 : 0).join('.'), message };
}
