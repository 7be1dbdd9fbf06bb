// Whether the schema or the pattern of a check can be read: untrusted input must not block a process.
import type { EvaluationCheck } from '#contract/quality/evaluations.ts';
import { schemaWork } from '../../kernel/schema-work/ask.ts';

/** Why it cannot be read; undefined: it can. @param author the account that writes it */
export async function unreadable(author: string, check: EvaluationCheck): Promise<string | undefined> {
  const read = await schemaWork(author, 'unreadable', check);
  return read ? read.value : 'The check takes too long to read: simplify it, or try again in ten minutes';
}
