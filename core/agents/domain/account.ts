// The platform's account at a certificate authority: one for all domains, its key sealed.
import type { AcmeAccount, CertificateAuthority } from '#drivers/certificates/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';

export function acmeKeyContext(directoryUrl: string): string {
  return `acme_accounts/${directoryUrl}/key`;
}

/**
 * `register`: the authority is asked for it, also when we know it; an account that is there stays as it is.
 */
export async function acmeAccount(
  { db, drivers }: Pick<Ctx, 'db' | 'drivers'>,
  authority: CertificateAuthority,
  { register }: { register: boolean },
): Promise<AcmeAccount> {
  const { directoryUrl } = authority;
  const mine = { directory_url: directoryUrl };
  let row = await db('acme_accounts').where(mine).first();
  if (!row) {
    const encryptedKey = await drivers.vault.seal(Buffer.from(await authority.newKey()), acmeKeyContext(directoryUrl));
    await db('acme_accounts')
      .insert({ ...mine, key_sealed: encryptedKey })
      .onConflict('directory_url')
      .ignore();
    row = await db('acme_accounts').where(mine).first();
  }
  if (!row) throw new Error('the account at the certificate authority is not kept');
  const key = Buffer.from(await drivers.vault.open(row.key_sealed, acmeKeyContext(directoryUrl))).toString();
  if (row.account_url !== null && !register) return { key, url: row.account_url };
  const url = await authority.register(key);
  await db('acme_accounts').where(mine).update({ account_url: url });
  return { key, url };
}
