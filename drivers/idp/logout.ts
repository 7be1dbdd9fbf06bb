// Signing out at the request of a client (OpenID Connect RP-Initiated Logout 1.0), where oidc-provider is
// more or less strict than the platform wants.
import { decodeProtectedHeader } from 'jose';
import type { Client, Provider } from 'oidc-provider';

/** `algorithms`: those in which the provider signs ID tokens. */
export function setLogoutRules({ Client, IdToken }: Pick<Provider, 'Client' | 'IdToken'>, algorithms: readonly string[]): void {
  // §2: compared character by character. The library would take every port of a native program.
  Client.prototype.postLogoutRedirectUriAllowed = function (this: Client, address) {
    return this.postLogoutRedirectUris?.includes(address) === true;
  };
  const validate = IdToken.validate.bind(IdToken);
  // A hint may be older than the algorithm that the client has now.
  IdToken.validate = (hint, client) => validate(hint, signedAs(algorithmOf(hint), client, algorithms));
}

function signedAs(algorithm: string | undefined, client: Client, algorithms: readonly string[]): Client {
  if (algorithm === undefined || !algorithms.includes(algorithm)) return client;
  // Safe: it is the client in all but the algorithm.
  return Object.create(client, { idTokenSignedResponseAlg: { value: algorithm } }) as Client;
}

function algorithmOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg;
  } catch {
    return undefined;
  }
}
