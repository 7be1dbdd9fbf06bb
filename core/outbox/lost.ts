// Lost workflows that this process has repaired: the figures that the alert looks at, and who writes them to
// the log.
import { Counter, type Registry } from 'prom-client';
import type { LostWorkflow } from '../kernel/lost-workflow.ts';

export interface RepairedWorkflow {
  workflow_id: string;
  type: string;
  state: LostWorkflow['state'];
  remedy: 'again' | 'ended';
}

const states = ['absent', 'completed', 'failed', 'cancelled', 'terminated'] as const;
const remedies = ['again', 'ended'] as const;
const counts = new Map<string, number>();
const listeners = new Set<(repaired: RepairedWorkflow) => void>();

/** A process says so in its log. */
export function onRepairedWorkflow(listener: (repaired: RepairedWorkflow) => void): void {
  listeners.add(listener);
}

export function noteRepaired(repaired: RepairedWorkflow): void {
  const key = keyOf(repaired);
  counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const listener of listeners) listener(repaired);
}

/** From the start with zeros: the first one counts as an increase. */
export function repairMetrics(registry: Registry): void {
  new Counter({
    name: 'svc_workflows_lost_total',
    help: 'Workflows that ended without a result or that Temporal lost, by what they were found as, and whether they started again or ended their record.',
    labelNames: ['state', 'remedy'],
    registers: [registry],
    collect() {
      this.reset();
      for (const state of states) for (const remedy of remedies) this.inc({ state, remedy }, counts.get(keyOf({ state, remedy })) ?? 0);
    },
  });
}

const keyOf = ({ state, remedy }: Pick<RepairedWorkflow, 'state' | 'remedy'>): string => `${state} ${remedy}`;
