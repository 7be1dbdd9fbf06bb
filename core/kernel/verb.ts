// What a verb has done so far, as far as its rules go: whom policy.ts let do what, and whether a row of the
// audit log was written. act.ts reads it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Action } from './policy.ts';

interface Verb {
  readonly allowed: Set<Action>;
  audited: boolean;
  /** The verb that called it: what is done for it counts for its caller. */
  readonly caller: Verb | undefined;
}

const current = new AsyncLocalStorage<Verb>();

export function asVerb<T>(work: (verb: Readonly<Verb>) => Promise<T>): Promise<T> {
  const verb: Verb = { allowed: new Set(), audited: false, caller: current.getStore() };
  return current.run(verb, () => work(verb));
}

/** policy.ts says it of each action that it allows. */
export function noteAllowed(action: Action): void {
  for (let verb = current.getStore(); verb; verb = verb.caller) verb.allowed.add(action);
}

export function noteAudit(): void {
  for (let verb = current.getStore(); verb; verb = verb.caller) verb.audited = true;
}
