// What an operator looks at when things are slow: what waits in the queues, what is open, the machines of
// agents, the disk.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';

const Count = z.int().min(0);
const Seconds = z.number().min(0).meta({ description: 'Seconds.' });

const Backlog = z.strictObject({
  waiting: Count.meta({ description: 'Tasks that no worker took yet, about.' }),
  oldest_seconds: Seconds,
  workers: Count.meta({ description: 'Processes that asked for tasks lately.' }),
});

export const MachineryOut = z
  .strictObject({
    queues: z
      .array(z.strictObject({ name: z.string(), workflows: Backlog, activities: Backlog }))
      .nullable()
      .meta({ description: 'Task queues of the workflow engine; null: it does not answer.' }),
    messages: z.strictObject({ unsent: Count, oldest_seconds: Seconds }).meta({ description: 'To workflows, not sent yet.' }),
    waits: z.strictObject({ open: Count, overdue: Count.meta({ description: 'Open though their time is over.' }) }),
    jobs: z.array(z.strictObject({ kind: z.string(), state: z.string(), count: Count })).meta({ description: 'Open ones.' }),
    job_queued_seconds: Seconds.meta({ description: 'How long the oldest queued job has been waiting, in seconds.' }),
    machines: z
      .array(z.strictObject({ tier: z.enum(['awake', 'paused', 'suspended', 'cold', 'failed']), count: Count, memory_bytes: Count }))
      .nullable()
      .meta({ description: 'Machines of agents, by how they sleep; null: their host does not answer.' }),
    disk: z
      .strictObject({ total_bytes: Count, free_bytes: Count })
      .nullable()
      .meta({ description: 'Where the API keeps its files; null: it cannot be asked.' }),
    database_bytes: Count,
  })
  .meta({ id: 'MachineryOut' });

export const machinery = svcGroup({
  get: {
    at: 'GET /v1/operator/machinery',
    summary: 'Queues, open work, machines and disk, as they are now',
    scope: 'operator',
    out: MachineryOut,
    errors: [401, 403],
  },
});
