// The proof of a custom domain: looked for until it is there or its time is over, then once a day for as long
// as there is the domain.
import { condition, continueAsNew, setHandler } from '@temporalio/workflow';
import type { DomainActivities } from '#activities/domains.ts';
import { domainChanged, type VerifyDomainIn } from './messages.ts';
import { isLong } from './pace.ts';
import { activities } from './queues.ts';

const rows = activities<DomainActivities>({ startToCloseTimeout: '1m', retry: { maximumInterval: '10m' } });

const FIRST_MS = 30_000;
const LAST_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Of a day: domains that began together are not looked at together. */
const SPREAD = 0.2;

export async function verifyDomain(i: VerifyDomainIn): Promise<void> {
  const { domain_id, round } = i;
  const { first_ms = FIRST_MS, last_ms = LAST_MS, day_ms = DAY_MS } = i.times ?? {};
  let woken = false;
  setHandler(domainChanged, () => void (woken = true));
  let dailyAt = i.daily_at;
  let wait = first_ms;
  for (;;) {
    woken = false;
    // Only a day that has passed counts. Who asks for a look each hour puts it off no further.
    const daily = dailyAt !== undefined && Date.now() >= dailyAt;
    const state: 'pending' | 'proved' | 'ended' = await rows.proveDomain({ domain_id, daily, ...(round !== undefined && { round }) });
    if (state === 'ended') return;
    if (state === 'pending') dailyAt = undefined;
    else if (dailyAt === undefined || daily) dailyAt = Date.now() + Math.round(day_ms * (1 - SPREAD * Math.random()));
    const pause: number = dailyAt === undefined ? wait : Math.max(1, dailyAt - Date.now());
    wait = state === 'pending' ? Math.min(wait * 2, last_ms) : first_ms;
    // Who asks for a look, or removes the domain, wakes it: what continues begins with a look.
    await condition(() => woken, pause);
    if (isLong()) await continueAsNew<typeof verifyDomain>({ ...i, ...(dailyAt !== undefined && { daily_at: dailyAt }) });
  }
}
