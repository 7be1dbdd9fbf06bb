// What calls say of an agent: it fails more, it is slower, its language models cost more. Pure.
import { percent } from '#contract/studio/percent.ts';
import { percentileOf } from '#contract/evidence/latency.ts';
import { type Cause, counted, deployment, dollars, figure, times } from './cause.ts';
import type { Calls, LookedAt, AgentSpending, Twice } from './facts.ts';
import { COST, AUTOPILOT_DAY_MS, FAILURES, LATENCY, WINDOW_DAYS } from './thresholds.ts';

const WINDOW = `in ${WINDOW_DAYS} days`;
const shareOf = ({ counted: all, failed }: Calls): number => (all === 0 ? 0 : failed / all);

export function failures(agent: LookedAt, { now, before }: Twice<Calls>, at: number): Cause | undefined {
  const [share, was] = [shareOf(now), shareOf(before)];
  if (now.counted < FAILURES.leastCalls || now.failed < FAILURES.leastFailed) return undefined;
  const known = before.counted >= FAILURES.leastCalls;
  if (share < (known ? Math.max(FAILURES.leastShare, was * FAILURES.growth) : FAILURES.shareWithoutBefore)) return undefined;
  const [top] = now.codes;
  const code = (top?.code ?? 'unknown').slice(0, 64);
  const isNew = at - agent.live_since.getTime() < WINDOW_DAYS * AUTOPILOT_DAY_MS;
  return {
    agent,
    category: 'failures',
    what: code,
    severity: share >= FAILURES.criticalShare ? 'critical' : 'warning',
    title: `${percent(share)} of the calls of ${agent.name} fail, most with ${code}`,
    idea: `Find out why calls end with ${code} and fix it: svc insights ${agent.name} shows since when, svc receipt list and svc trace RUN show single calls.${isNew ? ` Its version is new: svc rollback ${agent.name} makes the previous version live.` : ''}`,
    rationale: `${now.failed} of ${counted(now.counted, 'call')} failed ${WINDOW}${known ? `, ${before.failed} of ${before.counted} in the ${WINDOW_DAYS} days before` : ''}. What callers did wrong is not counted.`,
    evidence: [
      figure(`Failed now: ${percent(share)} (${now.failed} of ${now.counted})`),
      figure(`Failed before: ${before.counted === 0 ? 'no calls' : `${percent(was)} (${before.failed} of ${before.counted})`}`),
      ...now.codes.slice(0, 3).map((one) => figure(`${one.code.slice(0, 64)}: ${counted(one.calls, 'call')}`)),
      deployment(agent),
    ],
  };
}

export function latency(agent: LookedAt, { now, before }: Twice<Calls>): Cause | undefined {
  const [p95, was] = [percentileOf(now.histogram, 95), percentileOf(before.histogram, 95)];
  if (now.ok < LATENCY.leastCalls || before.ok < LATENCY.leastCalls || p95 === null || was === null) return undefined;
  const growth = p95 / Math.max(1, was);
  if (p95 < LATENCY.leastMs || growth < LATENCY.growth) return undefined;
  return {
    agent,
    category: 'latency',
    what: 'p95',
    severity: growth >= LATENCY.criticalGrowth ? 'critical' : 'warning',
    title: `${agent.name} answers ${times(growth)} slower than a week ago`,
    idea: `Find out what takes the time and shorten it: svc trace RUN shows the steps of a slow run, svc insights ${agent.name} --by skill which skill it is.`,
    rationale: `One call of twenty took ${p95} ms or longer ${WINDOW}, ${was} ms in the ${WINDOW_DAYS} days before.`,
    evidence: [
      figure(`95th percentile now: ${p95} ms of ${counted(now.ok, 'call')}`),
      figure(`95th percentile before: ${was} ms of ${counted(before.ok, 'call')}`),
      deployment(agent),
    ],
  };
}

export function cost(agent: LookedAt, { now, before }: Twice<AgentSpending>): Cause | undefined {
  const [one, was] = [now.micros / Math.max(1, now.runs), before.micros / Math.max(1, before.runs)];
  const growth = was === 0 ? 0 : one / was;
  const grew = now.runs >= COST.leastRuns && before.runs >= COST.leastRuns && now.micros >= COST.leastSpent && growth >= COST.growth;
  const high = now.runs >= COST.leastRunsForHigh && one >= COST.highPerRun;
  if (!grew && !high) return undefined;
  return {
    agent,
    category: 'cost',
    what: grew ? 'grew' : 'high',
    severity: grew && growth >= COST.criticalGrowth ? 'critical' : 'warning',
    title: grew ? `A run of ${agent.name} costs ${times(growth)} as much as a week ago` : `A run of ${agent.name} costs ${dollars(one)}`,
    idea: `Ask the model for less: shorter prompts, fewer turns, or a cheaper model where it does as well. svc models usage shows what was used; a budget for one run stops what gets out of hand.`,
    rationale: `${counted(now.runs, 'run')} with a language model cost you ${dollars(now.micros)} ${WINDOW}, ${dollars(one)} each${before.runs === 0 ? '' : `; ${dollars(was)} each in the ${WINDOW_DAYS} days before`}.`,
    evidence: [
      figure(`Now: ${dollars(one)} for a run, of ${counted(now.runs, 'run')}`),
      figure(`Before: ${before.runs === 0 ? 'no runs' : `${dollars(was)} for a run, of ${counted(before.runs, 'run')}`}`),
      deployment(agent),
    ],
  };
}
