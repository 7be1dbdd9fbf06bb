// Who is signed in here, the token of that sign-in, and its end.
import * as oidc from 'openid-client';
import { ApiError, createClient } from '#contract/client.ts';
import { customCommand } from '../lib/command.ts';
import type { Credential } from '../login/credentials.ts';
import { discoverIssuer } from '../login/oidc.ts';

export const whoami = customCommand('whoami', {
  about: 'show who is signed in',
  examples: [['Only your email', 'svc whoami --json | jq -r .email']],
  run: async (_, { client, apiUrl }) => ({ ...(await client.auth.me()), api: apiUrl }),
  lines: ({ email, name, operator, acts_only_for, api }) => {
    const rights = operator ? ', operator' : acts_only_for ? `, for ${acts_only_for.slug} only` : '';
    return [`${email}${name === null ? '' : ` (${name})`}${rights} at ${api}`];
  },
});

export const token = customCommand('token', {
  about: 'print an access token that works now, for curl, MCP clients and scripts',
  details:
    'The token has all your rights and lasts an hour; the command renews it first if it expires soon. Anyone who has it can act as you: keep it out of files and logs. svc logout ends its sign-in, and the token within seconds.',
  examples: [
    ['A call by curl', 'curl -H "Authorization: Bearer $(svc token)" http://localhost:8080/v1/me'],
    ['For programs that read the variable', 'export SVC_TOKEN=$(svc token)'],
  ],
  aboutJson: 'print JSON, with the time it ends',
  run: async (_, { session, store, apiUrl, context }) => {
    const access_token = await session.token();
    const until = (await store.get(apiUrl))?.expires_at;
    const known = context.settings.token === undefined && until !== undefined;
    return { access_token, token_type: 'Bearer', expires_at: known ? new Date(until).toISOString() : null };
  },
  lines: ({ access_token }) => [access_token],
});

export const logout = customCommand('logout', {
  about: 'end the sign-in of this tool, and forget its tokens',
  examples: [['At the control plane of SVC_API_URL', 'svc logout']],
  run: async (_, { store, apiUrl: api }) => {
    let was: Credential | undefined;
    await store.update(api, (current) => {
      was = current;
      return undefined;
    });
    return was ? { api, signed_out: true, revoked: await revoke(was, api) } : { api, signed_out: false, revoked: false };
  },
  lines: ({ api, signed_out }) => [signed_out ? `Signed out of ${api}.` : `You were not signed in at ${api}.`],
  hint: ({ signed_out, revoked }) =>
    signed_out && !revoked
      ? 'The sign-in could not be ended, so copies of its tokens stay valid until they expire. End it at the dashboard, under Settings.'
      : undefined,
});

/** The sign-out must invalidate copies of the tokens, too. */
async function revoke({ refresh_token, issuer, client_id: clientId, access_token }: Credential, apiUrl: string): Promise<boolean> {
  try {
    if (refresh_token !== undefined && issuer !== undefined && clientId !== undefined)
      await oidc.tokenRevocation(await discoverIssuer(issuer, clientId), refresh_token);
    // A sign-in of an organization: the platform itself issued its token. Another token was given, and its
    // sign-in is elsewhere.
    else if (access_token.startsWith('svc_')) await createClient({ baseUrl: apiUrl, token: access_token }).signIns.end({ params: { sign_in_id: 'current' } });
    return true;
  } catch (error) {
    // It was over already.
    return error instanceof ApiError && error.status === 401;
  }
}
