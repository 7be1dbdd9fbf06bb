// What went wrong with rules in this process: the figures that alerts look at, and who writes it to the log.
import { BREAKS, type Break } from './engine.ts';

export interface BrokenRules {
  account_id: string;
  rules_version: number;
  cause: Break;
}

const counts: Record<Break, number> = { trap: 0, unparsable: 0, rule_failed: 0, request: 0, slow: 0 };
const losses = { unrecorded: 0 };
const listeners = new Set<(broken: BrokenRules) => void>();
/** Of one set and cause, one line in the log a minute. */
const LOG_INTERVAL_MS = 60_000;
const MAX_LOGGED = 1_000;
const loggedAt = new Map<string, number>();

export interface RuleHealth {
  /** Decisions that denied because rules could not be evaluated, by cause. */
  broken: Readonly<Record<Break, number>>;
  /**
   * Decisions that were made and not kept: there were too many at once, or the database did not take them.
   */
  unrecorded: number;
}

export const ruleHealth = (): RuleHealth => ({ broken: { ...counts }, unrecorded: losses.unrecorded });
export { BREAKS };

/** A process says so in its log. */
export function onBrokenRules(listener: (broken: BrokenRules) => void): void {
  listeners.add(listener);
}

export function noteBroken(broken: BrokenRules): void {
  counts[broken.cause] += 1;
  const key = `${broken.account_id} ${broken.rules_version} ${broken.cause}`;
  const now = performance.now();
  if ((loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) + LOG_INTERVAL_MS > now) return;
  if (loggedAt.size >= MAX_LOGGED) loggedAt.clear();
  loggedAt.set(key, now);
  for (const listener of listeners) listener(broken);
}

export function noteUnrecorded(count: number): void {
  losses.unrecorded += count;
}
