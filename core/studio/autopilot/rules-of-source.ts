// Rules over reviews, findings and source of an agent, and over missing calls. Pure.
import { advisoryOf } from '../../quality/review/rules/dependencies.ts';
import { type Cause, counted, isoDay, deployment, type Evidence, figure } from './cause.ts';
import type { LookedAt } from './facts.ts';
import type { OpenFindings, AgentReview } from './judged.ts';
import { AUTOPILOT_DAY_MS, DRIFT, LOCK_DAYS, MOST_NAMED, OLD_FINDING_DAYS, UNUSED_DAYS } from './thresholds.ts';

export function advisories(agent: LookedAt, { review_id, findings }: AgentReview): Cause | undefined {
  const advisoryFindings = findings.filter(({ rule }) => rule === 'known-advisory');
  if (advisoryFindings.length === 0) return undefined;
  const severe = advisoryFindings.some(({ severity }) => severity === 'critical');
  return {
    agent,
    category: 'dependencies',
    what: 'advisories',
    severity: severe ? 'critical' : 'warning',
    title: `${agent.name} is built from packages with ${advisoryFindings.length === 1 ? 'a known advisory' : `${advisoryFindings.length} known advisories`}`,
    idea: `Update these packages to versions without the fault, in the manifest and the lock file, then svc deploy. svc review ${agent.name} shows all that the review found.`,
    rationale: `The review of the live version ${review_id} found ${advisoryFindings.length === 1 ? 'it' : 'them'} in the lock file.`,
    evidence: [
      ...advisoryFindings.slice(0, MOST_NAMED).map(({ message }): Evidence => ({ kind: 'advisory', id: advisoryOf(message), text: message.slice(0, 400) })),
      deployment(agent),
    ],
  };
}

export function lockFileCause(agent: LookedAt, { review_id, findings, lock_since }: AgentReview, now: number): Cause | undefined {
  const missing = findings.find(({ rule, severity }) => rule === 'lock-file' && severity === 'warning');
  const days = lock_since ? Math.floor((now - lock_since.getTime()) / AUTOPILOT_DAY_MS) : 0;
  const about = { agent, category: 'dependencies' as const };
  if (missing)
    return {
      ...about,
      what: 'no lock file',
      severity: 'warning',
      title: `Nothing fixes the versions that ${agent.name} is built from`,
      idea: 'Add the lock file of your package manager to the source, then svc deploy.',
      rationale: `${missing.message}. The review ${review_id} of the live version says so.`,
      evidence: [figure(missing.title), deployment(agent)],
    };
  if (days < LOCK_DAYS || !lock_since) return undefined;
  return {
    ...about,
    what: 'old lock file',
    severity: 'info',
    title: `The dependencies of ${agent.name} have not changed for ${days} days`,
    idea: 'Update the dependencies and their lock file, run the tests of the agent, then svc deploy.',
    rationale: `Its lock file is as it was on ${isoDay(lock_since)}: what was mended in its packages since then, it does not have.`,
    evidence: [figure(`Lock file unchanged since ${isoDay(lock_since)}`), deployment(agent)],
  };
}

export function findings(agent: LookedAt, open: OpenFindings): Cause {
  const critical = open.critical > 0;
  const which = critical ? counted(open.critical, 'critical finding') : counted(open.count, 'finding');
  return {
    agent,
    category: 'findings',
    what: critical ? 'critical' : 'old',
    severity: critical ? 'critical' : 'warning',
    title: `${agent.name} has ${which} open${critical ? '' : ` for more than ${OLD_FINDING_DAYS} days`}`,
    idea: `Fix the finding and deploy, or answer it: svc findings list ${agent.name}, then svc findings answer FINDING fixed "why".`,
    rationale: `${counted(open.count, 'finding')} that ${open.count === 1 ? 'is' : 'are'} critical or older than ${OLD_FINDING_DAYS} days; the oldest since ${isoDay(open.oldest)}.`,
    evidence: [
      ...open.named.map((one): Evidence => ({
        kind: 'finding',
        id: one.finding_id,
        text: `${one.severity}, open since ${isoDay(one.created_at)}: ${one.title}`,
      })),
      deployment(agent),
    ],
  };
}

export function unused(agent: LookedAt, now: number): Cause | undefined {
  const [live, used] = [(now - agent.live_since.getTime()) / AUTOPILOT_DAY_MS, agent.used_at ? (now - agent.used_at.getTime()) / AUTOPILOT_DAY_MS : Infinity];
  if (live < UNUSED_DAYS || used < UNUSED_DAYS) return undefined;
  return {
    agent,
    category: 'unused',
    what: 'unused',
    severity: 'info',
    title: `${agent.name} had no call for ${UNUSED_DAYS} days`,
    idea: `Delete it if you do not need it: svc delete ${agent.name}. Its name stays yours. Else say in its description and skills what it is good for.`,
    rationale: agent.used_at ? `It last worked on ${isoDay(agent.used_at)}.` : 'It has never worked.',
    evidence: [figure(agent.used_at ? `Last used on ${isoDay(agent.used_at)}` : 'Never used'), deployment(agent)],
  };
}

/** `head`: null where it has no source here. */
export function drift(agent: LookedAt, head: string | null, now: number): Cause | undefined {
  const hours = (now - agent.live_since.getTime()) / 3_600_000;
  if (head === null || agent.source_commit === null || agent.source_commit === head || agent.deploying || hours < DRIFT.leastHours) return undefined;
  return {
    agent,
    category: 'drift',
    what: 'not the head of its source',
    severity: hours >= DRIFT.warningDays * 24 ? 'warning' : 'info',
    title: `What is live of ${agent.name} is not the newest commit of its source`,
    idea: `Deploy the newest commit, or take it back: svc clone ${agent.name}, look at git log ${agent.source_commit.slice(0, 12)}..${head.slice(0, 12)}, then svc deploy.`,
    rationale: `Live is commit ${agent.source_commit.slice(0, 12)} since ${isoDay(agent.live_since)}; the source is at ${head.slice(0, 12)}.`,
    evidence: [figure(`Newest commit: ${head}`), figure(`Live commit: ${agent.source_commit}`), deployment(agent)],
  };
}
