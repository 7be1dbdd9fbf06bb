// The worker's own figures: activities, waits that ended, housekeeping, versions of the workflow code.
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { attempts as attemptsOf } from '#activities/attempts.ts';
import { repairMetrics } from '#core/outbox/index.ts';
import { ruleMetrics } from '#core/policy/index.ts';
import { backupMetrics, type Measured } from '#core/platform/index.ts';
import { durableGauges } from './durable.ts';

export interface WorkerMetrics {
  registry: Registry;
  /** Counts every attempt of every activity. */
  activities: ActivityInterceptorsFactory;
  loop(name: string, failing: boolean): void;
  draining(count: number): void;
}

/** Attempts after which an operator should know. */
const MANY_ATTEMPTS = 20;
const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600, 3600];

export function createMetrics(measure: () => Promise<Measured>, stateDir: string): WorkerMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  durableGauges(registry, measure);
  backupMetrics(registry, stateDir);
  ruleMetrics(registry);
  repairMetrics(registry);
  const attempts = new Counter({
    name: 'svc_activity_attempts_total',
    help: 'Attempts at activities, by how they ended.',
    labelNames: ['activity', 'outcome'],
    registers,
  });
  const late = new Counter({
    name: 'svc_activity_late_attempts_total',
    help: `Attempts at activities that were tried more than ${MANY_ATTEMPTS} times before.`,
    labelNames: ['activity'],
    registers,
  });
  const seconds = new Histogram({
    name: 'svc_activity_seconds',
    help: 'From the first scheduling of an activity to its success, failed attempts and waiting included.',
    labelNames: ['activity'],
    buckets,
    registers,
  });
  const settled = new Counter({ name: 'svc_waits_settled_total', help: 'Pauses for a person that ended, by how.', labelNames: ['decision'], registers });
  const rounds = new Counter({
    name: 'svc_calendar_rounds_total',
    help: 'Attempts at rounds of the calendar, by how they ended.',
    labelNames: ['entry', 'outcome'],
    registers,
  });
  const loops = new Gauge({ name: 'svc_loop_failing', help: '1 while a housekeeping loop fails.', labelNames: ['loop'], registers });
  const versions = new Gauge({ name: 'svc_versions_draining', help: 'Earlier versions of the workflow code that open workflows still need.', registers });
  return {
    registry,
    activities: ({ info }) => ({
      inbound: {
        async execute(input, next) {
          const { activityType: activity, scheduledTimestampMs } = info;
          if (info.attempt - attemptsOf().waited > MANY_ATTEMPTS) late.inc({ activity });
          try {
            const result = await next(input);
            attempts.inc({ activity, outcome: 'completed' });
            seconds.observe({ activity }, Math.max(0, Date.now() - scheduledTimestampMs) / 1000);
            if (activity === 'runCalendarRound') rounds.inc({ entry: String(input.args[0]), outcome: 'completed' });
            if (activity === 'settleWait') settled.inc({ decision: decisionOf(input.args) });
            return result;
          } catch (error) {
            attempts.inc({ activity, outcome: 'failed' });
            if (activity === 'runCalendarRound') rounds.inc({ entry: String(input.args[0]), outcome: 'failed' });
            throw error;
          }
        },
      },
    }),
    loop: (name, failing) => loops.set({ loop: name }, failing ? 1 : 0),
    draining: (count) => versions.set(count),
  };
}

/** settleWait(wait id, { decision }) */
function decisionOf([, outcome]: unknown[]): string {
  return typeof outcome === 'object' && outcome !== null && 'decision' in outcome && typeof outcome.decision === 'string' ? outcome.decision : 'unknown';
}
