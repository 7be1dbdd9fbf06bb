// One check against one run, in a thread: patterns and schemas are its author's.
import type { EvaluationCheck } from '#contract/quality/evaluations.ts';
import type { Score, ScoredRun } from '#contract/quality/score.ts';
import { schemaWork } from '../../kernel/schema-work/ask.ts';

const TOO_LONG: Score = { passed: null, score: null, reason: 'This check, or others of its account, took too long: simplify it' };

/** Undefined: it says nothing of this run. @param author the account that wrote the check */
export async function scored(author: string, check: EvaluationCheck, run: ScoredRun): Promise<Score | undefined> {
  const done = await schemaWork(author, 'score', { check, run });
  return done ? done.value : TOO_LONG;
}
