// fetch with what the caller set: the platform's egress proxy adds it outside of the machine; on an author's
// machine it is added here.
import {
  fillHost,
  FIELDS_HEADER,
  SETUP_HEADER,
  type Credential,
  type SetupInjection,
  type Written,
  writeCredentials,
} from '../../../contract/wire/setup-injection.ts';
import type { RunContext } from '../authoring/context.ts';
import { SkillInvocationError } from '../authoring/errors.ts';
import { injectedSetupOf } from '../runtime/injected-setup.ts';

export interface SetupFetch {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array | string;
  signal?: AbortSignal;
}

/**
 * As fetch, with the values of these `consumerSetup` fields (those that have `inject`) in the places they
 * name. Redirects are not followed.
 * @throws SkillInvocationError where a field has no value
 */
export async function fetchWithSetup(ctx: RunContext, address: string, fields: readonly string[], init: SetupFetch = {}): Promise<Response> {
  const url = new URL(address);
  const options = { method: init.method ?? 'GET', signal: init.signal ?? ctx.signal, redirect: 'manual' as const };
  if (fields.length === 0) return await fetch(url, { ...options, headers: { ...init.headers }, body: bodyOf(init) });
  const absent = fields.filter((name) => ctx.setup[name] === undefined);
  if (absent.length > 0) throw new SkillInvocationError(`${absent.join(', ')} is not set: use "svc setup"`, { status: 409 });
  const setup = injectedSetupOf(ctx);
  if (setup.sealed !== undefined) {
    const gateway = `http://${url.hostname}.svc-inject.internal${url.pathname}${url.search}`;
    const headers = { ...init.headers, [SETUP_HEADER]: setup.sealed, [FIELDS_HEADER]: fields.join(',') };
    return await fetch(gateway, { ...options, headers, body: bodyOf(init) });
  }
  const written = writeCredentials(`${url.pathname}${url.search}`, { ...init.headers }, credentialsFor(url.hostname, fields, setup));
  if (written.tls) throw new SkillInvocationError('A client certificate is used on the platform only: deploy the agent');
  if (written.oauth2) written.headers['authorization'] = `Bearer ${await clientToken(written.oauth2, options.signal)}`;
  return await fetch(new URL(written.target, url), { ...options, headers: written.headers, body: bodyOf(init) });
}

function credentialsFor(host: string, fields: readonly string[], { injections, values }: ReturnType<typeof injectedSetupOf>): Credential[] {
  return fields.flatMap((field) => {
    const inject: SetupInjection | undefined = injections[field];
    if (!inject?.hosts.some((one) => fillHost(one, values) === host)) return [];
    return [{ field, inject, value: String(values[field]) }];
  });
}

async function clientToken(of: NonNullable<Written['oauth2']>, signal: AbortSignal): Promise<string> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...(of.scope && { scope: of.scope }) });
  const authorization = `Basic ${btoa(`${encodeURIComponent(of.client_id)}:${encodeURIComponent(of.client_secret)}`)}`;
  const answer = await fetch(of.token_url, { method: 'POST', headers: { authorization, accept: 'application/json' }, body: form, signal, redirect: 'error' });
  const tokenResponse: unknown = await answer.json().catch(() => undefined);
  if (typeof tokenResponse === 'object' && tokenResponse !== null && 'access_token' in tokenResponse && typeof tokenResponse.access_token === 'string')
    return tokenResponse.access_token;
  throw new SkillInvocationError(`The token endpoint answered ${answer.status} without a token: check the client's id and secret`, { status: 502 });
}

// Safe: the body is text, or bytes of memory that is not shared.
function bodyOf({ body }: SetupFetch): NonNullable<RequestInit['body']> | null {
  return (body ?? null) as NonNullable<RequestInit['body']> | null;
}
