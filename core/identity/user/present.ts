import type { z } from 'zod';
import type { UserOut } from '#contract/identity/auth.ts';
import type { UsersRow } from '#db/tables.ts';

export function presentUser(row: UsersRow): z.input<typeof UserOut> {
  return { user_id: row.user_id, email: row.email, name: row.name, operator: row.operator, created_at: row.created_at.toISOString() };
}
