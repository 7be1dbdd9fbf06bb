// What identity providers say of a person, in the shapes in which they say it: yes and no also as text and
// numbers, an address under several names.
import { z } from 'zod';
import { OPERATOR_CLAIM } from '#contract/identity/oauth.ts';

/** Cognito and some gateways write booleans as text, Entra as 0 and 1 too. */
const Flag = z
  .union([z.boolean(), z.enum(['true', 'false', 'True', 'False', '0', '1']), z.literal([0, 1])])
  .transform((value) => [true, 'true', 'True', '1', 1].includes(value));

/**
 * It is kept and compared as it is, so what no column holds is no such text: U+0000, half of a surrogate
 * pair.
 */
const text = z.string().refine((value) => value.isWellFormed() && !value.includes('\0'));

export const PersonClaims = z.looseObject({
  sub: text.min(1),
  email: text.min(3).optional(),
  email_verified: Flag.optional(),
  /** Of Entra, which has no email_verified: the domain of the address is one that its tenant owns. */
  xms_edov: Flag.optional(),
  preferred_username: text.optional(),
  upn: text.optional(),
  name: z.string().optional(),
  [OPERATOR_CLAIM]: Flag.optional(),
});
export type PersonClaims = z.infer<typeof PersonClaims>;

export interface Address {
  email: string | undefined;
  /** Undefined: the provider does not say. */
  verified: boolean | undefined;
}

/**
 * Without an email, the name under which an account signs in, where that is an address (Entra). Not where the
 * provider says that the address is not verified: Keycloak lets people choose a name that looks like
 * somebody's address.
 */
export function addressOf({ email, email_verified, xms_edov, preferred_username, upn }: PersonClaims): Address {
  if (email !== undefined) return { email, verified: email_verified ?? xms_edov };
  const name = email_verified === false ? undefined : [preferred_username, upn].find((one) => one !== undefined && /^[^\s@<>]+@[^\s@<>]+$/.test(one));
  return { email: name, verified: undefined };
}
