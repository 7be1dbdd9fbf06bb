// What an operator wants to see of the host, in Prometheus' text form.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  registry: Registry;
  wakes: Histogram<'from'>;
  sleeps: Histogram<'to'>;
  builds: Histogram<'outcome'>;
  crashes: Counter;
  egressRefusals: Counter;
  instances: Gauge<'tier'>;
  memory: Gauge<'kind'>;
  disk: Gauge<'kind'>;
}

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.35, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics(): Metrics {
  const registers = [new Registry()];
  const registry = registers[0] ?? new Registry();
  return {
    registry,
    wakes: new Histogram({
      name: 'svc_wake_seconds',
      help: 'Time to bring an instance to awake, by the tier it came from.',
      labelNames: ['from'],
      buckets,
      registers,
    }),
    sleeps: new Histogram({ name: 'svc_sleep_seconds', help: 'Time to put an instance into a tier.', labelNames: ['to'], buckets, registers }),
    builds: new Histogram({
      name: 'svc_build_seconds',
      help: 'Time of builds, by outcome.',
      labelNames: ['outcome'],
      buckets: [1, 2, 5, 10, 20, 60, 180, 600],
      registers,
    }),
    crashes: new Counter({ name: 'svc_instance_crashes_total', help: 'Machines that ended unexpectedly.', registers }),
    egressRefusals: new Counter({ name: 'svc_egress_refusals_total', help: 'Connections the egress proxy refused.', registers }),
    instances: new Gauge({ name: 'svc_instances', help: 'Instances by tier.', labelNames: ['tier'], registers }),
    memory: new Gauge({ name: 'svc_memory_mib', help: 'Guest memory: used and limit.', labelNames: ['kind'], registers }),
    disk: new Gauge({
      name: 'svc_disk_mib',
      help: 'Disk of the machines: free, the least that is to be free, and what machines asleep in their files take.',
      labelNames: ['kind'],
      registers,
    }),
  };
}
