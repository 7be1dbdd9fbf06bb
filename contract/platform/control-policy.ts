// Read the limits that an operator sets for an account. Without a row of its own an account may do
// everything, within the installation's settings.
import { z } from 'zod';
import { Instant, SequenceNumber } from '../shared.ts';

/** Each names what an operator may forbid; the rules are in core/kernel/policy.ts. */
export const PERMISSIONS = ['may_deploy', 'may_publish', 'may_call_external'] as const;
export type Permission = (typeof PERMISSIONS)[number];

const limit = (most: number, description: string) => z.int().min(0).max(most).nullable().meta({ description });

export const AccountLimits = z
  .strictObject({
    agents: limit(100_000, 'Agents it may have; null: the setting agents_per_account. What is there stays.'),
    schedules: limit(10_000, 'Schedules it may have; null: the setting schedules_per_account. What is there stays.'),
    concurrent_runs: limit(100_000, 'Durable runs of it that may be open at a time; null: as many as it starts.'),
    calls_per_minute: limit(1_000_000, 'Calls of agents, by any protocol, in a minute; null: no limit.'),
  })
  .meta({ id: 'AccountLimits' });
export type AccountLimits = z.infer<typeof AccountLimits>;

const facts = {
  suspended: z.boolean().meta({
    description: 'Its people cannot sign in, its sessions, tokens and run credentials open nothing, its agents take no calls, its schedules do not fire.',
  }),
  may_deploy: z.boolean().meta({ description: 'Deploy agents, also from source that is here already.' }),
  may_publish: z.boolean().meta({ description: 'Make agents public.' }),
  may_call_external: z.boolean().meta({ description: 'Call agents of other accounts.' }),
  limits: AccountLimits,
  reason: z.string().max(500).meta({ description: 'For operators; the account does not see it.' }),
};

export const ControlPolicyIn = z
  .strictObject({
    ...facts,
    version: SequenceNumber.meta({ description: 'The version last read: the write is refused when the policy has another version by now.' }),
  })
  .meta({ id: 'ControlPolicyIn' });

export const ControlPolicyOut = z
  .strictObject({
    user_id: z.string(),
    ...facts,
    version: SequenceNumber.meta({ description: '0: never changed. Grows by one with every write.' }),
    updated_at: Instant.nullable(),
    updated_by: z.string().nullable().meta({ description: 'User id of the operator who wrote it last.' }),
  })
  .meta({ id: 'ControlPolicyOut' });
export type ControlPolicyOut = z.infer<typeof ControlPolicyOut>;
