// The signature of a push notification: a JWT (RFC 7519) over the hash of its body, by the key that signs the
// agent's card. Who receives it knows that this platform sent it, for which agent, to which address and when,
// and that a second one of the same id is a repetition.
import { importJWK, SignJWT } from 'jose';
import { CARD_KEYS_PATH } from '#contract/wire/a2a-card.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { cardKey } from '../../agents/card/keys.ts';
import { sha256 } from '../run/hash.ts';

/** As long as a receiver may take to look. */
const SECONDS = 300;

export interface ToSign {
  /** The agent's own address. */
  from: string;
  to: string;
  id: string;
  taskId: string;
  body: string;
}

export async function signPush({ drivers, clock }: Pick<Ctx, 'drivers' | 'clock'>, { from, to, id, taskId, body }: ToSign): Promise<string> {
  const { publicJwk, d } = await cardKey(drivers.vault, clock());
  const iat = Math.floor(clock() / 1000);
  return new SignJWT({ task_id: taskId, request_body_sha256: sha256(Buffer.from(body)) })
    .setProtectedHeader({ alg: publicJwk.alg, typ: 'JWT', kid: publicJwk.kid, jku: `${from}${CARD_KEYS_PATH}` })
    .setIssuer(from)
    .setAudience(to)
    .setIssuedAt(iat)
    .setExpirationTime(iat + SECONDS)
    .setJti(id)
    .sign(await importJWK({ ...publicJwk, d }));
}
