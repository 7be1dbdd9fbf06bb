// What the platform refused, for as long as it is true: an issue goes when its part is changed.
import { spoken } from '#contract/wire/spoken.ts';
import { explain } from '../kit/explain.ts';
import type { FormIssue, Path } from './issues.ts';

/** Issues of a request's body. @param sent the value that was refused @param now the value of the form */
export function refusedAt(error: unknown, sent: unknown, now: unknown): FormIssue[] {
  return bodyIssues(error).filter(({ path }) => JSON.stringify(valueAt(sent, path)) === JSON.stringify(valueAt(now, path)));
}

/** The refusal is about fields, and each says its own part. */
export function bodyIssues(error: unknown): FormIssue[] {
  if (!error) return [];
  return explain(error).issues.flatMap(({ path, message }) => (path[0] === 'body' ? [{ path: path.slice(1), message: spoken(message) }] : []));
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, step) => (typeof at === 'object' && at !== null && Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined), value);
}
