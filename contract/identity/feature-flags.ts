// Typed switches: a default for all accounts, and values of single accounts. Operators define them
// (contract/platform/admin.ts).
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant } from '../shared.ts';
import { FLAG_TYPES } from '../states.ts';

/** Of flags an installation may have, so that each list is short enough to be whole. */
export const MAX_FLAGS = 500;

export const FlagKey = z
  .string()
  .regex(/^[a-z][a-z0-9._-]{0,63}$/, 'use a lower-case letter, then lower-case letters, digits, ".", "_" and "-" (64 at most)')
  .meta({ examples: ['new-dashboard'] });

export const FlagValue = z
  .union([z.boolean(), z.number(), z.string().max(1024)])
  .meta({ id: 'FeatureFlagValue', description: "A value of the flag's type; for type choice: one of its choices.", examples: [true] });
export type FlagValue = z.infer<typeof FlagValue>;

export interface FlagShape {
  type: (typeof FLAG_TYPES)[number];
  choices?: readonly string[] | null | undefined;
}

/** What is wrong with this value for this flag; undefined: nothing. */
export function misfit({ type, choices }: FlagShape, value: unknown): string | undefined {
  if (type !== 'choice') return typeof value === type ? undefined : `must be a ${type}`;
  return choices?.some((choice) => choice === value) ? undefined : `must be one of: ${choices?.join(', ')}`;
}

export const FeatureFlagIn = z
  .strictObject({
    flag_key: FlagKey,
    type: z.enum(FLAG_TYPES).meta({ examples: ['boolean'] }),
    choices: z
      .array(z.string().min(1).max(128))
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'Only for flags of type choice: every value that the flag may have.' }),
    default_value: FlagValue,
    description: z.string().max(1000).default(''),
  })
  .superRefine((flag, ctx) => {
    if ((flag.type === 'choice') !== (flag.choices !== undefined))
      ctx.addIssue({ code: 'custom', path: ['choices'], message: 'give choices to a flag of type choice, and to no other' });
    else if (new Set(flag.choices).size !== (flag.choices?.length ?? 0)) ctx.addIssue({ code: 'custom', path: ['choices'], message: 'name each choice once' });
    const wrong = misfit(flag, flag.default_value);
    if (wrong !== undefined) ctx.addIssue({ code: 'custom', path: ['default_value'], message: wrong });
  })
  .meta({ id: 'FeatureFlagIn', examples: [{ flag_key: 'plan_colour', type: 'choice', choices: ['blue', 'green'], default_value: 'blue' }] });

export const FeatureFlagOut = z
  .strictObject({
    flag_key: z.string(),
    type: z.enum(FLAG_TYPES),
    choices: z.array(z.string()).nullable(),
    default_value: FlagValue,
    description: z.string(),
    overrides: z.int().min(0).meta({ description: 'Accounts that have a value of their own.' }),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'FeatureFlagOut' });

export const MyFeatureFlagsOut = z
  .strictObject({
    items: z.array(
      z.strictObject({
        flag_key: z.string(),
        type: z.enum(FLAG_TYPES),
        value: FlagValue,
        overridden: z.boolean().meta({ description: 'An operator gave the account this value; otherwise it is the default.' }),
      }),
    ),
  })
  .meta({ id: 'MyFeatureFlagsOut' });

export const featureFlags = group({
  list: {
    at: 'GET /v1/me/feature-flags',
    summary: 'Every feature flag with the value that it has for this account',
    scope: 'account',
    personal: true,
    out: MyFeatureFlagsOut,
    errors: [401, 403],
  },
});
