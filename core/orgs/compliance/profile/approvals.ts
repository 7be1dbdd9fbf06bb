import type { Knex } from 'knex';

/**
 * Whether the account has something that asks a person before its agents act: the fixed policy, or a rule
 * with an `…_without_approval` action.
 */
export async function asksPeople(db: Knex, ownerId: string): Promise<boolean> {
  const fixed = await db('control_room_policies').where({ user_id: ownerId, require_approval_for_file_writes: true }).first('user_id');
  if (fixed) return true;
  const rules = await db('policy_rules').where({ owner_id: ownerId }).orderBy('version', 'desc').first('policies');
  // Safe: only rules.ts writes them, and each has a text.
  const policies = (rules?.policies ?? []) as { text: string }[];
  return policies.some(({ text }) => /\bforbid\b[^;]*_without_approval\b/s.test(text));
}
