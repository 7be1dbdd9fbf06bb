// A token for a local account of this machine's own platform: every reader of its key file gets one.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as oidc from 'openid-client';
import { LOCAL_GRANT } from '#contract/identity/oauth.ts';
import { CliError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { discoverIssuer, type Tokens } from './oidc.ts';

export interface LocalLogin {
  issuer: string;
  clientId: string;
  scope: string;
  email: string;
  secretsDir: string;
}

export async function signInLocally({ issuer, clientId, scope, email, secretsDir }: LocalLogin): Promise<Tokens> {
  const keyFile = join(secretsDir, 'local-login.key');
  const key = await readFile(keyFile, 'utf8').catch((error: unknown) => {
    throw new CliError(
      `${keyFile} cannot be read, so no local token can be made. Is this the machine the platform runs on, and has it been started (npm run up)? Otherwise give a token with --token.`,
      EXIT.failure,
      { cause: error },
    );
  });
  const configuration = await discoverIssuer(issuer, clientId);
  try {
    return await oidc.genericGrantRequest(configuration, LOCAL_GRANT, { account: email, key: key.trim(), scope });
  } catch (error) {
    if (error instanceof oidc.ResponseBodyError)
      throw new CliError(`The platform made no token for ${email}: ${error.error_description ?? error.error}.`, EXIT.failure, { cause: error });
    throw error;
  }
}
