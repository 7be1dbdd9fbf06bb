// What a run holds of its caller's setup beside ctx.setup: values that only requests show. Apart from the
// context, so that no author's log has them.
import type { SetupInjection } from '../../../contract/wire/setup-injection.ts';

export interface InjectedSetup {
  /** As the platform sealed it; only the egress proxy opens it. */
  sealed?: string | undefined;
  /** On an author's machine: the values themselves. */
  values: Readonly<Record<string, string | number | boolean>>;
  injections: Readonly<Record<string, SetupInjection>>;
}

/**
 * Set by the class of runs: only it reads a private field of a run, and a map of all runs would cost each
 * call more than the rest of its context.
 */
let read: (run: object) => InjectedSetup | undefined = () => undefined;

export function setInjectedSetupReader(reader: typeof read): void {
  read = reader;
}

export function injectedSetupOf(run: object): InjectedSetup {
  return read(run) ?? { values: {}, injections: {} };
}
