// The figures of every process that decides by rules: the API and the worker.
import { Counter, type Registry } from 'prom-client';
import { BREAKS, ruleHealth } from './health.ts';

/** What this process could not decide by the rules of accounts, or could not keep. */
export function ruleMetrics(registry: Registry): void {
  new Counter({
    name: 'svc_policy_rules_broken_total',
    help: 'Decisions that denied because the rules of an account could not be evaluated, by cause',
    labelNames: ['cause'],
    registers: [registry],
    collect() {
      this.reset();
      for (const cause of BREAKS) this.inc({ cause }, ruleHealth().broken[cause]);
    },
  });
  new Counter({
    name: 'svc_policy_decisions_unrecorded_total',
    help: 'Decisions by rules that were made and not kept',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(ruleHealth().unrecorded);
    },
  });
}
