// Whether work gets done: Temporal, its workers, and what waits for them.
import type { Finding } from '#contract/platform/doctor.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { measure } from '../housekeeping/measure.ts';
import { QUEUES } from '../installation/machinery.ts';
import { reasonOf, reporter } from './finding.ts';

const { ok, warning, problem } = reporter('engine');
const LONG_SECONDS = 300;
const LATE_SECONDS = 60;

export async function lookAtEngine(ctx: Ctx): Promise<Finding[]> {
  const { workflows } = ctx.drivers;
  try {
    await workflows.ping();
  } catch (error) {
    return [
      problem(
        `Temporal does not answer: ${reasonOf(error)}.`,
        'Start it (npm run up; npm run logs temporal), or correct TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE. Answers of people are kept meanwhile.',
      ),
      ...(await lookAtWaiting(ctx)),
    ];
  }
  return [...(await lookAtQueues(ctx)), ...(await lookAtBuilds(ctx)), ...(await lookAtWaiting(ctx))];
}

async function lookAtQueues({ drivers: { workflows } }: Ctx): Promise<Finding[]> {
  const queues = await Promise.all(QUEUES.map((name) => workflows.queue(name)));
  const idle = queues.filter(({ workflows: flows, activities }) => flows.workers === 0 && activities.workers === 0).map(({ name }) => name);
  const late = queues.filter(({ workflows: flows, activities }) => Math.max(flows.oldest_seconds, activities.oldest_seconds) > LONG_SECONDS);
  if (idle.length > 0)
    return [problem(`Temporal answers, and no worker takes tasks of ${idle.join(', ')}.`, 'Start the worker: npm run up. Why it ended: npm run logs worker.')];
  return late.length > 0
    ? late.map(({ name, workflows: flows, activities }) =>
        warning(
          `Tasks of ${name} have been waiting for ${Math.round(Math.max(flows.oldest_seconds, activities.oldest_seconds) / 60)} minutes.`,
          'Give the machine more processors, or start a worker on another one. Builds: SVC_BUILDS_AT_ONCE.',
        ),
      )
    : [ok(`Temporal answers, and workers take the tasks of all ${queues.length} queues.`)];
}

async function lookAtBuilds({ drivers: { workflowVersions } }: Ctx): Promise<Finding[]> {
  const builds = (await workflowVersions?.builds()) ?? [];
  const current = builds.find((one) => one.current);
  if (builds.length === 0) return [];
  if (current === undefined)
    return [problem('No build of the workflow code is current: new workflows wait.', 'Run: svc workers list, then svc workers set-current BUILD')];
  const orphaned = builds.filter(({ workers, pinned }) => workers === 0 && pinned > 0);
  return [
    ...(current.workers === 0
      ? [
          problem(
            `No worker runs the current build ${current.build_id}.`,
            'Run npm run up with that code, or make another build current: svc workers set-current BUILD',
          ),
        ]
      : []),
    ...orphaned.map(({ build_id: id, pinned }) =>
      warning(
        `${pinned} workflows are pinned to build ${id}, which no worker runs.`,
        'A worker un-pins them within minutes. Where it does not: npm run logs worker',
      ),
    ),
  ];
}

async function lookAtWaiting({ db }: Ctx): Promise<Finding[]> {
  const { outbox, waits_overdue: overdue, wait_undelivered_seconds: undelivered } = await measure(db);
  return [
    ...(outbox.oldest_seconds > LATE_SECONDS
      ? [
          problem(
            `${outbox.unsent} messages to workflows are unsent, the oldest for ${Math.round(outbox.oldest_seconds)} s.`,
            'The worker sends them: npm run logs worker',
          ),
        ]
      : []),
    ...(undelivered > LATE_SECONDS
      ? [
          problem(
            `An answer of a person has not reached its run for ${Math.round(undelivered)} s.`,
            'See deploy/runbooks/alerts: the worker delivers it once the agent’s host answers.',
          ),
        ]
      : []),
    ...(overdue > 0 ? [warning(`${overdue} questions are open though their time is over.`, 'Temporal or the worker is late: npm run logs worker')] : []),
  ];
}
