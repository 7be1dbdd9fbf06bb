// A simulation as it is written down: who takes part, what they offer and hold, which rules hold, and what
// must stay true.
import { z } from 'zod';
import { MAX_INT32 } from '../../shared.ts';
import { MAX_PATTERNS, PathPattern } from '../../wire/grant.ts';
import { AgentSlug, SkillName } from '../../wire/names.ts';
import { ACTS } from './acts.ts';
import { WORLD_KINDS } from '../../states.ts';
import { KINDS } from './kinds/index.ts';

/** Over the API; the engine itself takes more. */
export const LIMITS = { actors: 25, ports: 120, edges: 120, capabilities: 60, policies: 80, steps: 120, script: 120, invariants: 25, calls: 8 } as const;

const MAX_MICROS = MAX_INT32;
const MAX_STEP = 1_000_000;

const id = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_.-]{0,62}$/, 'use lower-case letters, digits, "_", "." and "-", 63 at most')
  .meta({ examples: ['seller-1'] });
const word = z.string().regex(/^[a-z][a-z_]{0,31}$/, 'use lower-case letters and "_", 32 at most');
const micros = z.int().min(0).max(MAX_MICROS);
const step = z.int().min(1).max(MAX_STEP);
const settings = z.record(word, z.int().min(-MAX_INT32).max(MAX_INT32));

const SimulatedActor = z
  .strictObject({
    actor_id: id,
    role: word.meta({ description: 'A role of the kind of world: see the templates.' }),
    strategy: word.meta({ description: 'How it acts: a strategy of its role.' }),
    parameters: settings.default({}).meta({ description: 'Parameters of the strategy; absent ones have their usual value.' }),
    balance_micros: micros.default(1_000_000).meta({ description: 'The initial balance.' }),
    skill_permille: z.int().min(0).max(1000).default(900).meta({ description: 'How often what it does is good, in a thousand.' }),
    agent: z
      .strictObject({
        name: AgentSlug,
        skill: SkillName,
        args: z.record(z.string(), z.unknown()).default({}),
        observation: word.optional().meta({ description: 'The argument that receives the state of the world.' }),
      })
      .optional()
      .meta({ description: 'In a hybrid run an agent of the platform decides some of its turns.' }),
  })
  .meta({ id: 'SimulatedActor' });

const Port = z
  .strictObject({
    port_id: id,
    actor: id.meta({ description: 'The actor that offers it.' }),
    capability: id.optional().meta({ description: 'An actor that uses it pays under a grant.' }),
    price_micros: micros.max(1_000_000_000),
    open: z.boolean().default(true).meta({ description: 'An edge is active as soon as it is proposed.' }),
  })
  .meta({ id: 'SimulatedPort' });

const Edge = z
  .strictObject({ port: id, actor: id.meta({ description: 'The actor that uses the port.' }), active: z.boolean().default(true) })
  .meta({ id: 'SimulatedEdge' });

const Capability = z
  .strictObject({
    capability_id: id,
    holder: id,
    actions: z.array(word).min(1).max(16),
    allow: z.array(PathPattern).min(1).max(MAX_PATTERNS).default(['**']),
    deny: z.array(PathPattern).max(MAX_PATTERNS).default([]),
    lifetime_steps: step,
    budget_micros: micros.default(0),
    max_depth: z.int().min(0).max(8).default(3),
  })
  .meta({ id: 'SimulatedCapability', description: 'A grant that its holder has from the beginning.' });

const Policy = z
  .strictObject({
    effect: z.enum(['deny', 'freeze', 'revoke', 'allow']).meta({ description: 'deny before freeze before revoke before allow.' }),
    actor: id.optional(),
    action: word.optional(),
    from_step: step.default(1),
    to_step: step.default(MAX_STEP),
  })
  .meta({ id: 'SimulatedPolicy' });

const ScriptedAct = z
  .strictObject({
    at_step: step,
    actor: id,
    act: z.enum(ACTS),
    target: id.optional().meta({ description: 'An actor.' }),
    port: id.optional(),
    value: z.int().min(-MAX_INT32).max(MAX_INT32).default(0).meta({ description: 'A signal, points, a length in steps, a budget.' }),
  })
  .meta({ id: 'SimulatedAct', description: 'Something that happens whatever the strategies do.' });

const bound = z.int().min(-MAX_INT32).max(MAX_INT32);
const Invariant = z
  .strictObject({
    metric: word,
    at_least: bound.optional(),
    at_most: bound.optional(),
    from_step: step.default(1),
  })
  .meta({ id: 'SimulatedInvariant', description: 'A bound on a metric. Conservation of money, containment and the like are checked always.' });

/** Without limits of size: what the engine takes. */
export const EngineSpec = z.strictObject({
  kind: z.enum(WORLD_KINDS),
  title: z.string().trim().min(1).max(100),
  steps: step,
  rules: settings.default({}),
  actors: z.array(SimulatedActor).min(2),
  ports: z.array(Port).default([]),
  edges: z.array(Edge).default([]),
  capabilities: z.array(Capability).default([]),
  policies: z.array(Policy).default([]),
  script: z.array(ScriptedAct).default([]),
  invariants: z.array(Invariant).default([]),
});
export type SimulationSpec = z.output<typeof EngineSpec>;

export const SimulationSpecIn = EngineSpec.extend({
  steps: step.max(LIMITS.steps),
  actors: z.array(SimulatedActor).min(2).max(LIMITS.actors),
  ports: z.array(Port).max(LIMITS.ports).default([]),
  edges: z.array(Edge).max(LIMITS.edges).default([]),
  capabilities: z.array(Capability).max(LIMITS.capabilities).default([]),
  policies: z.array(Policy).max(LIMITS.policies).default([]),
  script: z.array(ScriptedAct).max(LIMITS.script).default([]),
  invariants: z.array(Invariant).max(LIMITS.invariants).default([]),
})
  .superRefine((spec, context) => {
    for (const { path, message } of specFaults(spec)) context.addIssue({ code: 'custom', path, message });
  })
  .meta({ id: 'SimulationSpec' });

interface SpecFault {
  path: (string | number)[];
  message: string;
}

/** What a schema does not say: names that lead nowhere, settings out of range. */
function specFaults(spec: SimulationSpec): SpecFault[] {
  const faults: SpecFault[] = [];
  const kind = KINDS[spec.kind];
  const bad = (message: string, ...path: (string | number)[]): void => void faults.push({ path, message });
  const names = (list: readonly string[], what: string, at: string): Set<string> => {
    const uniqueNames = new Set(list);
    if (uniqueNames.size < list.length) bad(`two ${what} have one name`, at);
    return uniqueNames;
  };
  const settingsOf = (given: Record<string, number>, ranges: Record<string, { min: number; max: number }>, ...at: (string | number)[]): void => {
    for (const [name, value] of Object.entries(given)) {
      const range = Object.hasOwn(ranges, name) ? ranges[name] : undefined;
      if (!range) bad(`is unknown: use ${Object.keys(ranges).join(', ') || 'none'}`, ...at, name);
      else if (value < range.min || value > range.max) bad(`is ${range.min} to ${range.max}`, ...at, name);
    }
  };
  settingsOf(spec.rules, kind.rules, 'rules');
  const actors = names(spec.actors.map((one) => one.actor_id), 'actors', 'actors'); // prettier-ignore
  const ports = names(spec.ports.map((one) => one.port_id), 'ports', 'ports'); // prettier-ignore
  const capabilities = names(spec.capabilities.map((one) => one.capability_id), 'capabilities', 'capabilities'); // prettier-ignore
  const known = (set: Set<string>, name: string | undefined, what: string, ...path: (string | number)[]): void => {
    if (name !== undefined && !set.has(name)) bad(`names no ${what} of this simulation`, ...path);
  };
  for (const [at, { role, strategy, parameters }] of spec.actors.entries()) {
    const strategies = Object.hasOwn(kind.roles, role) ? kind.roles[role] : undefined;
    if (!strategies) bad(`a ${spec.kind} has the roles ${Object.keys(kind.roles).join(', ')}`, 'actors', at, 'role');
    else if (!Object.hasOwn(strategies, strategy)) bad(`${role} has the strategies ${Object.keys(strategies).join(', ')}`, 'actors', at, 'strategy');
    else settingsOf(parameters, strategies[strategy]?.parameters ?? {}, 'actors', at, 'parameters');
  }
  for (const [at, port] of spec.ports.entries()) {
    known(actors, port.actor, 'actor', 'ports', at, 'actor');
    known(capabilities, port.capability, 'capability', 'ports', at, 'capability');
  }
  for (const [at, edge] of spec.edges.entries()) {
    known(actors, edge.actor, 'actor', 'edges', at, 'actor');
    known(ports, edge.port, 'port', 'edges', at, 'port');
  }
  for (const [at, { holder }] of spec.capabilities.entries()) known(actors, holder, 'actor', 'capabilities', at, 'holder');
  for (const [at, { actor }] of spec.policies.entries()) known(actors, actor, 'actor', 'policies', at, 'actor');
  for (const [at, { actor, target, port }] of spec.script.entries()) {
    known(actors, actor, 'actor', 'script', at, 'actor');
    known(actors, target, 'actor', 'script', at, 'target');
    known(ports, port, 'port', 'script', at, 'port');
  }
  for (const [at, { metric }] of spec.invariants.entries()) {
    if (!Object.hasOwn(kind.metrics, metric)) bad(`a ${spec.kind} has the metrics ${Object.keys(kind.metrics).join(', ')}`, 'invariants', at, 'metric');
  }
  return faults;
}
