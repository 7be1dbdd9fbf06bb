// Requests of a run to the platform's model gateway carry the run's credential, whatever client sends them
// with fetch: OpenAI's, Anthropic's, a framework's. It is sent only to the gateway, and known by the async
// context, so that runs at the same time do not pay for each other.
import { AsyncLocalStorage } from 'node:async_hooks';
import { HEADER } from '../../../contract/wire/headers.ts';
import { MODEL_GATEWAY_PATH } from '../../../contract/wire/model-use.ts';

const credentials = new AsyncLocalStorage<string>();
let patched = false;

/** @param token absent: the call came from nowhere on the platform */
export function asRun<T>(token: string | undefined, work: () => T): T {
  if (token === undefined) return work();
  patch();
  return credentials.run(token, work);
}

/** Of the run that this code works for. */
export function runToken(): string | undefined {
  return credentials.getStore();
}

/** Nothing is loaded here: Node's fetch takes most of a second under emulation. */
function patch(): void {
  if (patched) return;
  patched = true;
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    const token = runToken();
    if (token === undefined || !toGateway(input)) return fetch(input, init);
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    headers.set(HEADER.runToken, token);
    // Followed elsewhere it would take the credential along.
    return fetch(input, { ...init, headers, redirect: 'error' });
  };
}

function toGateway(input: string | URL | Request): boolean {
  const platform = process.env['SVC_CP_URL'];
  if (platform === undefined) return false;
  const url = URL.parse(input instanceof Request ? input.url : String(input));
  const own = URL.parse(platform);
  return url !== null && own !== null && url.origin === own.origin && url.pathname.startsWith(MODEL_GATEWAY_PATH);
}
