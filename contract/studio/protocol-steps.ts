// What a rehearsal does, in declarative steps: the scenarios of the product and those that people write are
// made of the same words.
import { z } from 'zod';
import { trimmedText } from '../shared.ts';
import { WORKSPACE_MODES } from '../states.ts';
import { SkillName } from '../wire/names.ts';

export const MAX_SCENARIOS = 20;
const MAX_STEPS = 40;
const MAX_SUITE_STEPS = 200;
const MAX_SUITE_BYTES = 131_072;

/** Letters that a label starts with and holds: of rules, grants and runs within one scenario. */
const label = z.string().regex(/^[a-z][a-z0-9_]{0,47}$/, 'use lower-case letters, digits and _, 48 at most, e.g. "child_within_parent"');
const patterns = z.array(z.string().min(1).max(200)).min(1).max(16);
const ttl = z.int().min(1).max(3600);
const whose = z
  .enum(['agent', 'copy'])
  .default('agent')
  .meta({ description: 'The rehearsed agent, or the copy of it that this scenario made with the step copy.' });
const skill = SkillName.optional().meta({ description: 'Absent: one that the seed chooses among those that a caller may call.' });
const args = z
  .union([z.enum(['sample', 'invalid']), z.record(z.string(), z.unknown())])
  .default('sample')
  .meta({ description: "sample: the skill's example, else made from its schema by the seed; invalid: made so that its schema refuses it." });

export const STEP_OUTCOMES = ['accepted', 'refused', 'asked', 'cancelled', 'lost'] as const;
export type StepOutcome = (typeof STEP_OUTCOMES)[number];

const fact = z.union([z.string().max(200), z.number(), z.boolean()]);
const StepFacts = z.record(label, fact).meta({ id: 'StepFacts', description: 'What must hold of the event; facts that are not named may be anything.' });
const judged = {
  expect: z.enum(STEP_OUTCOMES).default('accepted').meta({
    description: 'How it must come out. asked: the agent was asked and answered, well or badly. lost: the platform ended it for a caller that was gone.',
  }),
  code: z.string().max(64).optional().meta({ description: 'The error code that a refusal must have.' }),
  facts: StepFacts.optional(),
  rule: label
    .optional()
    .meta({ description: 'The rule of the scenario that is broken when it comes out otherwise. Absent: the step only prepares, and must succeed.' }),
};

/** `do` says what happens; everything happens in the disposable account. */
export const ProtocolStep = z
  .discriminatedUnion('do', [
    z.strictObject({
      do: z.literal('mint'),
      as: label,
      allow: patterns,
      deny: z.array(z.string().min(1).max(200)).max(16).default([]),
      mode: z.enum(WORKSPACE_MODES).default('read_only'),
      ttl_seconds: ttl.default(300),
      to: whose,
      ...judged,
    }),
    z.strictObject({
      do: z.literal('delegate'),
      from: label,
      as: label,
      allow: patterns,
      mode: z.enum(WORKSPACE_MODES).default('read_only'),
      ttl_seconds: ttl.default(300),
      to: whose,
      ...judged,
    }),
    z.strictObject({ do: z.literal('verify'), grant: label, at: whose, after_seconds: z.int().min(0).max(7200).default(0), ...judged }),
    z.strictObject({ do: z.literal('revoke'), grant: label, ...judged }),
    z.strictObject({ do: z.literal('race'), grant: label, delegates: z.int().min(1).max(16).default(8), ...judged }),
    z.strictObject({
      do: z.literal('call'),
      skill,
      args,
      grant: label.optional(),
      after_seconds: z.int().min(0).max(7200).default(0).meta({ description: 'The platform takes it for so much later: for grants that end.' }),
      caller: z.enum(['user', 'run', 'gone']).default('user').meta({ description: 'gone: a caller that has left before the agent answers.' }),
      to: whose,
      ...judged,
    }),
    z.strictObject({ do: z.literal('recurse'), through: z.enum(['itself', 'others']), ...judged }),
    z.strictObject({ do: z.literal('start_run'), as: label, skill, args, key: label.optional(), ...judged }),
    z.strictObject({ do: z.literal('same_run'), one: label, other: label, ...judged }),
    z.strictObject({ do: z.literal('end_run'), run: label, ...judged }),
    z.strictObject({ do: z.literal('replay'), run: label, ...judged }),
    z.strictObject({ do: z.literal('lose_caller'), ...judged }),
    z.strictObject({ do: z.literal('finding'), severity: z.enum(['critical', 'warning', 'info']), ...judged }),
    z.strictObject({ do: z.literal('answer_finding'), ...judged }),
    z.strictObject({ do: z.literal('publish'), ...judged }),
    z.strictObject({ do: z.literal('copy'), ...judged }),
    z.strictObject({ do: z.literal('trust'), of: whose, ...judged }),
    z.strictObject({ do: z.literal('delete'), ...judged }),
    z.strictObject({ do: z.literal('left'), ...judged }),
    z.strictObject({ do: z.literal('leaks'), ...judged }),
  ])
  .meta({ id: 'ProtocolStep' });
export type ProtocolStep = z.infer<typeof ProtocolStep>;
export type StepOf<D extends ProtocolStep['do']> = Extract<ProtocolStep, { do: D }>;

export const ScenarioName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{1,63}$/, 'use lower-case letters, digits and _, 2 to 64, e.g. "child_scope"')
  .meta({ examples: ['child_scope'] });

export const ProtocolScenario = z
  .strictObject({
    scenario: ScenarioName,
    title: trimmedText(120),
    summary: trimmedText(500),
    rules: z
      .record(label, trimmedText(300))
      .refine((rules) => Object.keys(rules).length <= 20, 'has more than 20 rules')
      .meta({ description: 'Rules by name: what must hold, in a sentence.' }),
    steps: z.array(ProtocolStep).min(1).max(MAX_STEPS),
  })
  .superRefine(({ rules, steps }, check) => {
    const made = new Set<string>();
    for (const [at, step] of steps.entries()) {
      const wrong = (field: string, message: string): void => check.addIssue({ code: 'custom', path: ['steps', at, field], message });
      if (step.rule !== undefined && !Object.hasOwn(rules, step.rule)) wrong('rule', `names no rule of this scenario: add ${step.rule} to its rules`);
      for (const field of ['grant', 'from', 'run', 'one', 'other'] as const) {
        const named = field in step ? Object.entries(step).find(([name]) => name === field)?.[1] : undefined;
        if (typeof named === 'string' && !made.has(named)) wrong(field, `${named} is made by no step before this one`);
      }
      if ('as' in step) made.add(step.as);
    }
  })
  .meta({ id: 'ProtocolScenario' });
export type ProtocolScenario = z.infer<typeof ProtocolScenario>;

/** What a suite is made of. */
export const ProtocolSuite = z
  .strictObject({ scenarios: z.array(ProtocolScenario).min(1).max(MAX_SCENARIOS) })
  .superRefine(({ scenarios }, check) => {
    const names = scenarios.map(({ scenario }) => scenario);
    if (new Set(names).size < names.length) check.addIssue({ code: 'custom', path: ['scenarios'], message: 'two scenarios have the same name' });
    const steps = scenarios.reduce((sum, one) => sum + one.steps.length, 0);
    if (steps > MAX_SUITE_STEPS)
      check.addIssue({ code: 'custom', path: ['scenarios'], message: `have ${steps} steps together; ${MAX_SUITE_STEPS} are the most` });
    if (new TextEncoder().encode(JSON.stringify(scenarios)).length > MAX_SUITE_BYTES)
      check.addIssue({ code: 'custom', path: ['scenarios'], message: `are larger than ${MAX_SUITE_BYTES} bytes as JSON` });
  })
  .meta({ id: 'ProtocolSuite' });
export type ProtocolSuite = z.infer<typeof ProtocolSuite>;
