// What a fixture holds, beside its file: what the upgrade test must find again.
import { z } from 'zod';

export const Manifest = z.strictObject({
  version: z.string(),
  made_at: z.iso.datetime(),
  /** In order; the schema that its rows are of. */
  migrations: z.array(z.string()),
  schema_sha256: z.string(),
  people: z.record(z.string(), z.string()),
  organization: z.string(),
  /** Rows by table. */
  rows: z.record(z.string(), z.int()),
  /** Runs that wait for a person, by what holds their place while they wait. */
  waits: z.array(z.strictObject({ wait_id: z.string(), run_id: z.string(), agent: z.string() })),
  /** A step of a team that a person lets through. */
  gate: z.strictObject({ dag_run_id: z.string() }),
  /** A run that was under way. */
  running: z.strictObject({ run_id: z.string(), agent: z.string() }),
  schedules: z.array(z.string()),
  /** Where what is sealed is kept, by a name of its own, and what it says. Made for the fixture alone. */
  secrets: z.record(z.string(), z.string()),
  /** The head of each agent's repository. */
  repositories: z.record(z.string(), z.string()),
  receipts: z.int(),
  /** What answered 200, for whom. */
  reads: z.array(z.strictObject({ who: z.string(), route: z.string(), path: z.string() })),
});
export type Manifest = z.infer<typeof Manifest>;
