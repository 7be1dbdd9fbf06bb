// A refresh token becomes an access token (RFC 6749, section 6).
import { z } from 'zod';
import type { Network } from './network.ts';
import { NO_CREDENTIALS, type RefreshRequest, RemoteFault, type Tokens } from './port.ts';
import { readText } from './read.ts';
import { parsed, record, text } from './text.ts';
import { cut } from './names.ts';

const Answer = z.object({
  access_token: z.string().min(1).max(16_384),
  refresh_token: z.string().min(1).max(16_384).optional(),
  expires_in: z.coerce.number().positive().max(31_536_000).optional().catch(undefined),
});

/** Those after which the same token is never accepted again. */
const FINAL = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope', 'invalid_request']);

export async function refreshTokens(network: Network, { token_url, refresh_token, client_id, client_secret, signal }: RefreshRequest): Promise<Tokens> {
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token });
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  if (client_id !== undefined && client_secret !== undefined) {
    headers['authorization'] = `Basic ${Buffer.from(`${formEncoded(client_id)}:${formEncoded(client_secret)}`).toString('base64')}`;
  } else if (client_id !== undefined) body.set('client_id', client_id);
  const send = network.fetchFor(new URL(token_url).origin, NO_CREDENTIALS);
  const response = await send(token_url, { method: 'POST', headers, body: body.toString(), signal });
  const responseBody = parsed(await readText(response, token_url, signal));
  const answer = response.status === 200 ? Answer.safeParse(responseBody) : undefined;
  if (answer?.success) return answer.data;
  const { origin } = new URL(token_url);
  const error = text(record(responseBody)['error']);
  if (response.status >= 400 && response.status < 500 && error !== undefined && FINAL.has(error)) {
    const why = text(record(responseBody)['error_description']);
    throw new RemoteFault('token_refused', `${origin} refuses the refresh token (${error}${why === undefined ? '' : `: ${cut(why, 200)}`})`);
  }
  throw new RemoteFault('remote_failed', `${origin} gave no token: it answered ${response.status}`);
}

/** As RFC 6749, 2.3.1 has it. */
function formEncoded(value: string): string {
  return new URLSearchParams({ v: value }).toString().slice(2);
}
