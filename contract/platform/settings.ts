// Limits of the installation that operators change while it runs: the closed list, each with its default and
// bounds.
import { z } from 'zod';
import { Instant, MAX_INT32, SequenceNumber } from '../shared.ts';

export interface SettingDefinition {
  default_value: number;
  minimum: number;
  maximum: number;
  description: string;
}

export const SETTINGS = {
  agents_per_account: { default_value: 5_000, minimum: 1, maximum: 100_000, description: 'Agents an account may have. Existing ones stay.' },
  schedules_per_account: { default_value: 200, minimum: 1, maximum: 10_000, description: 'Schedules an account may have. Existing ones stay.' },
  sandboxes_per_author: { default_value: 16, minimum: 1, maximum: 256, description: "Sandboxes of one author's agents that may run at a time." },
  dev_boxes_per_account: { default_value: 50, minimum: 1, maximum: 10_000, description: 'Dev boxes an account may have. Existing ones stay.' },
  funded_calls_per_agent: {
    default_value: 25,
    minimum: 0,
    maximum: 1_000_000,
    description: 'Calls that the platform funds for each account and each agent that requires account access.',
  },
  reviewer_enabled: { default_value: 1, minimum: 0, maximum: 1, description: 'Whether what was deployed is reviewed: 1 yes, 0 no.' },
  proofs_at_once: { default_value: 5, minimum: 1, maximum: 1_000, description: 'Proofs of an account that may be under way at a time.' },
  proof_max_age_days: { default_value: 30, minimum: 1, maximum: 3_650, description: 'Days after which a proof is stale, though its version still runs.' },
  rehearsals_per_account: {
    default_value: 5,
    minimum: 1,
    maximum: 100,
    description: 'Rehearsals of an account that may be under way at a time: each has a machine.',
  },
  protocols_enabled: {
    default_value: 0,
    minimum: 0,
    maximum: 1,
    description: 'Whether protocols of agents may be enabled for all users, and count as ready for live use: 1 yes, 0 no.',
  },
  payout_hold_days: {
    default_value: 3,
    minimum: 0,
    maximum: 180,
    description: 'Days from a call until what its creator earned is due: payments may be taken back.',
  },
  payout_minimum_cents: { default_value: 2_500, minimum: 1, maximum: 10_000_000, description: 'US cents that a creator must be owed for a run to pay them.' },
  patch_days: { default_value: 30, minimum: 1, maximum: 3_650, description: 'Days for which one can look up what a run changed in files.' },
  policy_decision_days: {
    default_value: 30,
    minimum: 1,
    maximum: 3_650,
    description: 'Days for which one can look up what rules of an account decided, and try changes over it.',
  },
  platform_fee_basis_points: {
    default_value: 1_000,
    minimum: 0,
    maximum: 10_000,
    description: 'What the platform keeps of a charge, in hundredths of a percent, rounded down; the rest is the earning of the owner of the agent.',
  },
  nested_charges_per_run_cents: {
    default_value: 500,
    minimum: 0,
    maximum: 100_000_000,
    description:
      "US cents that agents of others may spend of an account's credits in one run, on calls of further agents, where its policy sets no budget of a run.",
  },
  databases_per_account: { default_value: 5, minimum: 0, maximum: 1_000, description: 'Databases an account may have. What is there stays.' },
  database_branches_per_account: {
    default_value: 25,
    minimum: 0,
    maximum: 5_000,
    description: 'Branches that all databases of an account may have, the main one of each included. What is there stays.',
  },
  database_mib_per_account: {
    default_value: 5_120,
    minimum: 16,
    maximum: 104_857_600,
    description:
      'MiB that all databases of an account may take. Above it rows of them can only be read and deleted; above it by a quarter they take no connections.',
  },
  database_mib: {
    default_value: 1_024,
    minimum: 16,
    maximum: 1_048_576,
    description:
      'MiB that a database with all its branches may take. Above it rows can only be read and deleted; above it by a quarter it takes no connections.',
  },
  top_up_least_cents: { default_value: 500, minimum: 50, maximum: 100_000, description: 'The least that is paid in at a time, in US cents.' },
  top_up_most_cents: { default_value: 100_000, minimum: 50, maximum: 10_000_000, description: 'The most that is paid in at a time, in US cents.' },
  welcome_credits_cents: { default_value: 0, minimum: 0, maximum: 100_000, description: 'Credits given to each new account, worth so many US cents.' },
  unpaid_plan_days: { default_value: 14, minimum: 1, maximum: 365, description: 'Days for which a plan stays after a payment for it was declined.' },
  free_seats_per_organization: {
    default_value: 10,
    minimum: 1,
    maximum: 5_000,
    description: 'Members an organization may have whatever its plan; a plan with more seats allows as many as it pays. Who is there stays.',
  },
  firing_days: { default_value: 90, minimum: 1, maximum: 3_650, description: 'Days for which one can look up what a schedule did.' },
} as const satisfies Record<string, SettingDefinition>;

export type SettingName = keyof typeof SETTINGS;

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

export const SettingParams = z.object({
  key: z
    .string()
    .regex(/^[a-z][a-z_]{0,63}$/, 'is not the name of a setting: use lower-case letters and _')
    .meta({ examples: ['agents_per_account'] }),
});

export const SettingIn = z
  .strictObject({
    value: z.int().min(-MAX_INT32).max(MAX_INT32).meta({ description: 'From minimum to maximum of the setting.' }),
    version: SequenceNumber.meta({ description: 'The version last read: the write is refused when the setting has another version by now.' }),
  })
  .meta({ id: 'SettingIn' });

export const SettingOut = z
  .strictObject({
    key: z.string(),
    value: z.int(),
    default_value: z.int(),
    minimum: z.int(),
    maximum: z.int(),
    description: z.string(),
    version: SequenceNumber.meta({ description: '0: never changed. Grows by one with every write.' }),
    updated_at: Instant.nullable(),
  })
  .meta({ id: 'SettingOut' });
export type SettingOut = z.infer<typeof SettingOut>;
