// The local accounts of the embedded identity provider: an operator and two users, so that there are two
// tenants.
import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Knex } from 'knex';
import { z } from 'zod';
import { OPERATOR_CLAIM } from '#contract/identity/oauth.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

const ACCOUNTS = [
  { email: 'operator@svc.local', name: 'Olga Operator', operator: true },
  { email: 'ada@svc.local', name: 'Ada Lovelace', operator: false },
  { email: 'ben@svc.local', name: 'Ben Franklin', operator: false },
] as const;

const AccountsFile = z.object({
  accounts: z.array(z.object({ email: z.string(), name: z.string(), operator: z.boolean(), password: z.string().min(16) })).min(1),
});
type AccountsFile = z.infer<typeof AccountsFile>;

export interface Account {
  accountId: string;
  email: string;
  name: string;
  operator: boolean;
  /** The address is verified. */
  emailVerified: boolean;
}

export interface Accounts {
  byId(accountId: string): Promise<Account | undefined>;
  byEmail(email: string): Promise<Account | undefined>;
  /** The account when the password is its own; as slow for an unknown address as for a known one. */
  verify(email: string, password: string): Promise<Account | undefined>;
  /** No operator, its address not verified; undefined when the address is taken. */
  create(account: { email: string; name: string; password: string }): Promise<Account | undefined>;
}

export function localAccounts(db: Knex): Accounts {
  const byEmail = (email: string) => db('idp_accounts').where({ email: email.trim().toLowerCase() }).first();
  return {
    async byId(accountId) {
      const row = await db('idp_accounts').where({ account_id: accountId }).first();
      return row && present(row);
    },
    async byEmail(email) {
      const row = await byEmail(email);
      return row && present(row);
    },
    async verify(email, password) {
      const row = await byEmail(email);
      return (await verifyPassword(password, row?.password_hash)) && row ? present(row) : undefined;
    },
    async create({ email, name, password }) {
      const address = email.trim().toLowerCase();
      const row = { account_id: randomUUID(), email: address, name: name.trim() || (address.split('@')[0] ?? address), email_verified: false };
      const made = await db('idp_accounts')
        .insert({ ...row, password_hash: await hashPassword(password) })
        .onConflict('email')
        .ignore()
        .returning('*');
      return made[0] && present(made[0]);
    },
  };
}

/**
 * Makes the accounts at first set-up: random passwords, readable only in `file` (0600). The file decides:
 * without it new passwords are made, with it an empty database gets the same ones again. Safe when two
 * processes start at once.
 */
export async function ensureLocalAccounts(db: Knex, file: string): Promise<void> {
  const { accounts, fresh } = (await readAccounts(file)) ?? (await createAccounts(file));
  const known = new Set(await db('idp_accounts').pluck('email'));
  for (const account of accounts) {
    if (known.has(account.email) && !fresh) continue;
    const row = { email: account.email, name: account.name, operator: account.operator, password_hash: await hashPassword(account.password) };
    await db('idp_accounts')
      .insert({ account_id: randomUUID(), ...row })
      .onConflict('email')
      .merge(['password_hash', 'name', 'operator']);
  }
}

async function readAccounts(file: string): Promise<(AccountsFile & { fresh: boolean }) | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const parsed = AccountsFile.safeParse(parseJson(text));
  if (!parsed.success) throw new Error(`${file} is damaged; remove it and start again to get new passwords`);
  return { ...parsed.data, fresh: false };
}

async function createAccounts(file: string): Promise<AccountsFile & { fresh: boolean }> {
  const content: AccountsFile = { accounts: ACCOUNTS.map((account) => ({ ...account, password: randomBytes(18).toString('base64url') })) };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // A link fails when the name is taken: the process that comes second takes the first one's passwords.
    await link(temporary, file);
    return { ...content, fresh: true };
  } catch (error) {
    const other = await readAccounts(file);
    if (!other) throw error;
    return { ...other, fresh: true };
  } finally {
    await rm(temporary, { force: true });
  }
}

/** What tokens and the userinfo address say of it. */
export function claimsOf({ email, emailVerified, name, operator }: Account): Record<string, string | boolean> {
  return { email, email_verified: emailVerified, name, ...(operator ? { [OPERATOR_CLAIM]: true } : {}) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function present(row: { account_id: string; email: string; name: string; operator: boolean; email_verified: boolean }): Account {
  return { accountId: row.account_id, email: row.email, name: row.name, operator: row.operator, emailVerified: row.email_verified };
}
