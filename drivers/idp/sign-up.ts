// Making a local account: who may, the prompt that asks for it (Initiating User Registration 1.0), and what a
// new account must be.
import { interactionPolicy } from 'oidc-provider';
import { z } from 'zod';
import { isLoopbackAddress } from '#contract/wire/internet.ts';
import type { Account, Accounts } from './accounts.ts';
import type { GuessLimits } from './guess-limits.ts';

/** anyone · local: from this machine, where the issuer is of this machine, too · nobody. */
export type SignUp = 'anyone' | 'local' | 'nobody';

export const MIN_PASSWORD = 12;

/** What the installation chose, else people at this machine, where it is one person's. */
export function signUpOf(chosen: boolean | undefined, issuer: string): SignUp {
  if (chosen !== undefined) return chosen ? 'anyone' : 'nobody';
  const { hostname } = new URL(issuer);
  const local = hostname === 'localhost' || hostname.endsWith('.localhost') || isLoopbackAddress(hostname.replace(/^\[|\]$/g, ''));
  return local ? 'local' : 'nobody';
}

export function maySignUp(signUp: SignUp, ip: string): boolean {
  return signUp === 'anyone' || (signUp === 'local' && isLoopbackAddress(ip));
}

export function createPrompt(): interactionPolicy.Prompt {
  return new interactionPolicy.Prompt({ name: 'create', requestable: true });
}

export interface NewAccount {
  email: string;
  name: string;
  password: string;
}

export type SignedUp = { account: Account } | { status: 422 | 409 | 429; problem: string; wait?: number };

/**
 * The password of an account that is there already signs in to it, and counts as a guess there. What a
 * password must be is asked of new ones only: an older one, or one that was made for the account, may be
 * otherwise.
 */
export async function signUp(deps: { accounts: Accounts; limits: GuessLimits; newAccounts: GuessLimits }, ip: string, given: NewAccount): Promise<SignedUp> {
  const { accounts, limits, newAccounts } = deps;
  const wrong = problemOf(given);
  if (wrong !== undefined) return { status: 422, problem: wrong };
  const known = (await accounts.byEmail(given.email)) !== undefined;
  const weak = known ? undefined : weaknessOf(given);
  if (weak !== undefined) return { status: 422, problem: weak };
  const wait = (await limits.begin(ip, given.email)) ?? (known ? undefined : await newAccounts.begin(ip, given.email));
  if (wait !== undefined) return { status: 429, wait, problem: `Too many tries. Wait ${Math.ceil(wait / 60)} minutes, then try again.` };
  // Of two at once one makes it, and the other may still have its password.
  const account = (known ? undefined : await accounts.create(given)) ?? (await accounts.verify(given.email, given.password));
  if (!account) return { status: 409, problem: 'There is an account with this email. Sign in with its password, or use another email.' };
  await limits.succeeded(ip, given.email);
  return { account };
}

function problemOf({ email, name }: NewAccount): string | undefined {
  if (name.includes('\0')) return 'Enter a name without control characters.';
  if (!z.email().safeParse(email.trim()).success) return 'Enter an email address, such as ada@example.com.';
  return undefined;
}

function weaknessOf({ email, password }: NewAccount): string | undefined {
  if (password.length < MIN_PASSWORD) return `The password must have at least ${MIN_PASSWORD} characters.`;
  // A name of three letters is in many good passwords by chance.
  const [name = ''] = email.trim().toLowerCase().split('@');
  if (new Set(password).size < 5 || (name.length > 3 && password.toLowerCase().includes(name)))
    return 'Choose a password that is harder to guess: no repetition, and not your email.';
  return undefined;
}
