// Whether what was measured is within its bounds, and whether that is a change worth an alert.
import { z } from '@svc/sdk';
import type { WebhookTarget } from './deliver.ts';

export interface Settings {
  title: string;
  /** What is asked, with GET. */
  url: string;
  hosts: readonly string[];
  /** Place of a number in the JSON answer, `data.0.price`; null: only whether it answers. */
  value_at: string | null;
  min: number | null;
  max: number | null;
  max_seconds: number;
  /** Failed checks in a row before an alert. */
  alert_after: number;
  webhook: WebhookTarget | null;
}

export interface Measured {
  /** HTTP status; null: no answer. */
  status: number | null;
  milliseconds: number;
  value: number | null;
  /** Why there is no answer or no value. */
  fault: string | null;
}

export const State = z.object({
  state: z.enum(['ok', 'failing', 'alert']).describe('failing: not often enough in a row for an alert.'),
  reason: z.string(),
  failures: z.int().describe('In a row.'),
  since: z.string().describe('When the state began.'),
  checked_at: z.string(),
  value: z.number().nullable(),
});
export type State = z.infer<typeof State>;

/** Undefined: all is well. */
export function problemOf({ status, milliseconds, value, fault }: Measured, { value_at, min, max, max_seconds }: Settings): string | undefined {
  if (status === null) return fault ?? 'no answer';
  if (status >= 400) return `answered ${status}`;
  if (milliseconds > max_seconds * 1000) return `took ${(milliseconds / 1000).toFixed(1)} s, more than ${max_seconds} s`;
  if (value_at === null) return undefined;
  if (value === null) return fault ?? `there is no number at ${value_at}`;
  if (min !== null && value < min) return `${value} is below ${min}`;
  if (max !== null && value > max) return `${value} is above ${max}`;
  return undefined;
}

/** `changed`: people should hear of it, in either direction. */
export function stateAfter(before: State | undefined, measured: Measured, settings: Settings, now: string): { state: State; changed: boolean } {
  const problem = problemOf(measured, settings);
  const failures = problem === undefined ? 0 : (before?.failures ?? 0) + 1;
  const state = failures === 0 ? 'ok' : before?.state === 'alert' || failures >= settings.alert_after ? 'alert' : 'failing';
  const changed = (state === 'alert') !== (before?.state === 'alert');
  const since = state === before?.state ? before.since : now;
  return { state: { state, reason: problem ?? 'all is well', failures, since, checked_at: now, value: measured.value }, changed };
}

/** Only own members. Numbers that are written as text count. */
export function numberAt(value: unknown, place: string): number | null {
  const found = place.split('.').reduce<unknown>((at, name) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    return Reflect.get(at, name);
  }, value);
  const number = typeof found === 'number' || (typeof found === 'string' && found.trim() !== '') ? Number(found) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

export function textOf(title: string, { state, reason, since }: State, before: State | undefined): string {
  return state === 'ok' ? `${title}: well again, after it failed since ${before?.since ?? since}` : `${title}: ${reason}`;
}
