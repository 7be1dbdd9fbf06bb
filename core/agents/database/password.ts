import { randomBytes } from 'node:crypto';
import type { DatabaseLoginsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';

/** Binds a sealed password to its login: it opens as no other. */
export function passwordContext(loginId: string): string {
  return `database/login/${loginId}`;
}

export async function newPassword({ drivers }: Pick<Ctx, 'drivers'>, loginId: string): Promise<string> {
  return drivers.vault.seal(Buffer.from(randomBytes(24).toString('base64url')), passwordContext(loginId));
}

export async function passwordOf({ drivers }: Pick<Ctx, 'drivers'>, row: Pick<DatabaseLoginsRow, 'login_id' | 'password_sealed'>): Promise<string> {
  return Buffer.from(await drivers.vault.open(row.password_sealed, passwordContext(row.login_id))).toString();
}

/** Password and names have no character that a URL escapes. */
export function databaseUrl(i: { login: string; password: string; host: string; port: number; database: string }): string {
  return `postgres://${i.login}:${i.password}@${i.host}:${i.port}/${i.database}`;
}
