// What insights say in words. Pure.
import type { Output } from '../../api/client.ts';
import { number } from '../../kit/number.ts';
import { duration } from '../../kit/time.ts';
import { dollars } from '../../kit/dollars.ts';

type Calls = Output<'agentInsights', 'calls'>;

export const time = (ms: number | null): string => (ms === null ? '–' : duration(ms));
export const money = (micros: number | null): string => (micros === null ? 'no price known' : dollars(micros));

/** "1.4 %" */
export const share = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(part === 0 || part === whole ? 0 : 1)} %`);

export function totalsOf({ totals, callers, cost_micros, earned_micros, models }: Calls): Record<string, string | undefined> {
  return {
    Calls: `${number(totals.calls)}: ${number(callers.owner)} by you, ${number(callers.other)} by other accounts, ${number(callers.none)} without an account`,
    Failed: `${number(totals.failed)}, ${share(totals.failed, totals.calls)}`,
    Cancelled: totals.cancelled === 0 ? undefined : number(totals.cancelled),
    Duration: `p50 ${time(totals.p50_ms)}, p95 ${time(totals.p95_ms)}, p99 ${time(totals.p99_ms)}`,
    Models: models.length === 0 ? undefined : money(cost_micros),
    Earned: earned_micros === 0 ? undefined : `${dollars(earned_micros)}, without what the platform keeps`,
  };
}

export const CALLERS: Record<string, string> = { owner: 'You', other: 'Other accounts', none: 'Without an account' };
