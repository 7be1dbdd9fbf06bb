// What is done with schemas and patterns that an account wrote. Any of it can take for ever: ask.ts has it
// done in a thread.
import type { EvaluationCheck } from '#contract/quality/evaluations.ts';
import { type Score, scoreOf, type ScoredRun } from '#contract/quality/score.ts';
import { partsOf, type TrialAnswer, type TrialMeasure } from '#contract/studio/trial-score.ts';
import type { TrialPart } from '#contract/studio/trial-rooms.ts';
import { type A2aCardJson, a2aCard, type A2aCardOptions } from '#contract/wire/a2a-card.ts';
import { type JsonSchema, modelOf } from '#contract/wire/arguments.ts';
import type { AgentCard } from '#contract/wire/card.ts';
import { parse as parseYaml } from 'yaml'; // the YAML 1.2 parser without custom tags or code
import { fittingArgs } from './fitting-args.ts';
import { type ArgsIssue, issuesIn } from './issues-in.ts';
import { checkedForm } from './checked-form.ts';
import { type CheckedValue, checkedValue } from './checked-value.ts';

/** In a thread that is ended when it takes too long. */
const freely = <T>(work: () => T): { value: T } => ({ value: work() });

export const TASKS = {
  /** Empty: they fit, or nothing of the schema can be read. */
  issues: ({ schema, args }: { schema: JsonSchema; args: Record<string, unknown> }): ArgsIssue[] => issuesIn(schema, args),
  /** Unlike `issues` it says when the schema cannot be read, and gives the value with its defaults. */
  check: ({ schema, value }: { schema: JsonSchema; value: unknown }): CheckedValue => checkedValue(schema, value),
  /** As `check`, for what a person answers. */
  form: ({ schema, value }: { schema: JsonSchema; value: unknown }): CheckedValue | 'no form' => checkedForm(schema, value),
  /** Why a check cannot be read; undefined: it can. */
  unreadable: (check: EvaluationCheck): string | undefined => unreadable(check),
  score: ({ check, run }: { check: EvaluationCheck; run: ScoredRun }): Score | undefined => scoreOf(check, run, freely),
  trialParts: ({ answer, measure }: { answer: TrialAnswer; measure: TrialMeasure }): TrialPart[] => partsOf(answer, measure, freely),
  /** Arguments that fit; undefined: none could be made. */
  fittingArgs: ({ schema, seed }: { schema: JsonSchema; seed: string }): JsonSchema | undefined => fittingArgs(schema, seed),
  /** YAML without aliases. */
  yaml: (text: string): Yaml => yamlIn(text),
  a2aCard: ({ card, options }: { card: AgentCard; options: A2aCardOptions }): A2aCardJson => a2aCard(card, options),
} as const;

function unreadable(check: EvaluationCheck): string | undefined {
  try {
    if (check.kind === 'matches') void new RegExp(check.pattern, 'u');
    else if (check.kind === 'schema') modelOf(check.schema);
    return undefined;
  } catch (error) {
    return `The ${check.kind === 'schema' ? 'schema' : 'pattern'} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

type Yaml = { value: unknown } | { problem: string };

function yamlIn(text: string): Yaml {
  try {
    return { value: parseYaml(text, { maxAliasCount: 0 }) };
  } catch (error) {
    return { problem: error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unreadable' };
  }
}
