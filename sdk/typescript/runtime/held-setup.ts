// What a run holds of its caller's setup beside ctx.setup: values that only requests show. Apart from the context, so that no author's log has them.
import type { SetupInjection } from '../../../contract/wire/setup-injection.ts';

export interface HeldSetup {
  /** As the platform sealed it; only the egress proxy opens it. */
  sealed?: string | undefined;
  /** On an author's machine: the values themselves. */
  values: Readonly<Record<string, string | number | boolean>>;
  injections: Readonly<Record<string, SetupInjection>>;
}

const held = new WeakMap<object, () => HeldSetup>();

export function holdSetup(run: object, setup: () => HeldSetup): void {
  held.set(run, setup);
}

export function heldSetup(run: object): HeldSetup {
  return held.get(run)?.() ?? { values: {}, injections: {} };
}
