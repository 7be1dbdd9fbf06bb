// An MCP client's memory of its sign-ins, as the official client wants it: it keeps what it is given, and
// opens addresses by telling the test.
import type { OAuthClientInformationMixed, OAuthClientProvider, OAuthDiscoveryState, OAuthTokens } from '@modelcontextprotocol/client';

export class RememberedSignIn implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadataUrl?: string;
  readonly clientMetadata;
  /** Where a person would be sent. */
  opened: URL | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = '';
  #discovery: OAuthDiscoveryState | undefined;

  /**
   * `clientId`: known already; `document`: the address of what describes the client; `registers`: the name
   * under which it registers itself.
   */
  constructor(client: { document: string } | { clientId: string } | { registers: string }, redirectUrl: string) {
    this.redirectUrl = redirectUrl;
    const client_name = 'registers' in client ? client.registers : 'unused';
    this.clientMetadata = { redirect_uris: [redirectUrl], client_name, grant_types: ['authorization_code', 'refresh_token'] };
    if ('document' in client) this.clientMetadataUrl = client.document;
    else if ('clientId' in client) this.#client = { client_id: client.clientId };
  }

  state = (): string => 'state-of-the-test';
  clientInformation = (): OAuthClientInformationMixed | undefined => this.#client;
  saveClientInformation = (client: OAuthClientInformationMixed): void => void (this.#client = client);
  tokens = (): OAuthTokens | undefined => this.#tokens;
  saveTokens = (tokens: OAuthTokens): void => void (this.#tokens = tokens);
  redirectToAuthorization = (address: URL): void => void (this.opened = address);
  saveCodeVerifier = (verifier: string): void => void (this.#verifier = verifier);
  codeVerifier = (): string => this.#verifier;
  saveDiscoveryState = (state: OAuthDiscoveryState): void => void (this.#discovery = state);
  discoveryState = (): OAuthDiscoveryState | undefined => this.#discovery;
}
