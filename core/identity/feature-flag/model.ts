import type { Knex } from 'knex';
import type { z } from 'zod';
import type { FeatureFlagOut, FlagValue } from '#contract/identity/feature-flags.ts';
import type { FeatureFlagsRow } from '#db/tables.ts';

// Safe: only putFlag and overrideFlags write values, and both check them against the flag.
export function valueOf(stored: unknown): FlagValue {
  return stored as FlagValue;
}

// Safe: only putFlag writes it, parsed.
export function choicesOf(stored: unknown): string[] | null {
  return stored as string[] | null;
}

/** Every flag by its key, and what the account has of its own. */
export async function flagsOf(db: Knex, userId: string) {
  const rows = await db('feature_flags as f')
    .leftJoin('feature_flag_overrides as o', (on) => on.on('o.flag_key', 'f.flag_key').andOnVal('o.user_id', userId))
    .orderBy('f.flag_key')
    .select<{ flag_key: string; type: FeatureFlagsRow['type']; default_value: unknown; value: unknown }[]>(
      'f.flag_key',
      'f.type',
      'f.default_value',
      'o.value',
    );
  return rows.map(({ flag_key, type, default_value, value }) => {
    // A value is never null in JSON: null means that the account has none.
    const overridden = value !== null;
    return { flag_key, type, value: valueOf(overridden ? value : default_value), overridden };
  });
}

export function presentFlag(row: FeatureFlagsRow): z.infer<typeof FeatureFlagOut> {
  return {
    flag_key: row.flag_key,
    type: row.type,
    choices: choicesOf(row.choices),
    default_value: valueOf(row.default_value),
    description: row.description,
    overrides: row.overrides,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
