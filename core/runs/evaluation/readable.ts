// Whether the schema or the pattern of a check can be read: untrusted input must not block a process.
import type { EvaluationCheck } from '#contract/runs/evaluations.ts';
import { modelOf } from '#contract/wire/arguments.ts';
import { LIMIT_MS, within } from '../../kernel/bounded.ts';

/** Why it cannot be read; undefined: it can. */
export function unreadable(check: EvaluationCheck): string | undefined {
  try {
    if (check.kind === 'matches') void new RegExp(check.pattern, 'u');
    else if (check.kind === 'schema' && within(LIMIT_MS, () => modelOf(check.schema)) === undefined) return 'The schema takes too long to read: simplify it';
    return undefined;
  } catch (error) {
    return `The ${check.kind === 'schema' ? 'schema' : 'pattern'} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}
