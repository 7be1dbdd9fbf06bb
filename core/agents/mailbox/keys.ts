// The key that signs what this installation sends (DKIM): made once for a domain and selector, sealed, the
// same in every process.
import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Ctx } from '../../kernel/ctx.ts';
import type { Mail } from '#drivers/mail/port.ts';

export function mailKeyContext(key: { domain: string; selector: string }): string {
  return `mail_keys:${key.domain}:${key.selector}`;
}

type Named = Pick<Mail, 'domain' | 'selector'>;

/** PEM; makes the key if there is none. */
export async function signingKey(ctx: Ctx, { domain, selector }: Named): Promise<string> {
  const known = await ctx.db('mail_keys').where({ domain, selector }).first();
  if (!known) await makeKey(ctx, { domain, selector });
  const row = known ?? (await ctx.db('mail_keys').where({ domain, selector }).first());
  if (!row) throw new Error('the key for signing mail was not stored');
  return Buffer.from(await ctx.drivers.vault.open(row.private_sealed, mailKeyContext(row))).toString();
}

/**
 * Value of the TXT record `<selector>._domainkey.<domain>`; undefined: no mailbox was made yet, and so no
 * key.
 */
export async function dkimRecord({ db }: Pick<Ctx, 'db'>, { domain, selector }: Named): Promise<string | undefined> {
  const row = await db('mail_keys').where({ domain, selector }).first('public_key');
  return row && `v=DKIM1; k=rsa; p=${row.public_key}`;
}

/** Of two processes that make one at once, the first counts. */
async function makeKey(ctx: Ctx, key: Named): Promise<void> {
  // RSA: Ed25519 signatures (RFC 8463) are verified by few.
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  });
  const encryptedKey = await ctx.drivers.vault.seal(Buffer.from(privateKey), mailKeyContext(key));
  await ctx
    .db('mail_keys')
    .insert({ domain: key.domain, selector: key.selector, private_sealed: encryptedKey, public_key: publicKey.toString('base64') })
    .onConflict(['domain', 'selector'])
    .ignore();
}
