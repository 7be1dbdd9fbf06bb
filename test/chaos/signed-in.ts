import { join } from 'node:path';
import { CredentialStore } from '#cli/login/credentials.ts';
import type { Installation } from '../e2e/installation.ts';

/** The token of whom the command line tool signed in, in this home folder. */
export async function tokenAt(i: Installation, home: string): Promise<string> {
  const token = (await new CredentialStore(join(home, '.svc')).get(i.baseUrl))?.access_token;
  if (token === undefined) throw new Error('nobody is signed in');
  return token;
}
