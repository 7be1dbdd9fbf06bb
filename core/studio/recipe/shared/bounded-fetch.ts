// One request to a host that the agent declares: bounded in time and size, never redirected elsewhere.
import { SkillInputError, SkillInvocationError } from '@svc/sdk';

export interface BoundedRequest {
  /** Names that may be asked, or `*.suffix`: those of the agent's egress. */
  hosts: readonly string[];
  /** Of the run: a cancelled run asks nothing more. */
  signal: AbortSignal;
  method?: 'GET' | 'POST' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** default 10 */
  timeoutSeconds?: number;
  /** default 1 MiB */
  maxBytes?: number;
  /** Reads no further once this holds of what has come; default: to the end. */
  until?: (text: string) => boolean;
}

export interface BoundedAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/**
 * @throws SkillInputError for an address that may not be asked; SkillInvocationError when there is no answer.
 * Neither names more of the address than its host.
 */
export async function boundedFetch(address: string, request: BoundedRequest): Promise<BoundedAnswer> {
  const { hosts, signal, method = 'GET', headers = {}, body, timeoutSeconds = 10, maxBytes = 1024 * 1024, until } = request;
  const url = checkedUrl(address, hosts);
  const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    const answer = await fetch(url, { method, headers, redirect: 'manual', signal: AbortSignal.any([signal, timeout]), ...(body !== undefined && { body }) });
    if (answer.status >= 300 && answer.status < 400) {
      await answer.body?.cancel();
      throw new SkillInvocationError(`${url.hostname} answered with another address (${answer.status}): use that one.`, { status: 502 });
    }
    return { status: answer.status, headers: answer.headers, text: await boundedText(answer, maxBytes, url.hostname, until) };
  } catch (error) {
    if (error instanceof SkillInvocationError || signal.aborted) throw error;
    if (timeout.aborted) throw new SkillInvocationError(`${url.hostname} did not answer within ${timeoutSeconds} s. Try again later.`, { status: 504 });
    throw new SkillInvocationError(`${url.hostname} could not be reached. Check the address and try again.`, { status: 502, cause: error });
  }
}

/** @throws SkillInputError */
export function checkedUrl(address: string, hosts: readonly string[]): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') throw new SkillInputError('The address must begin with https:// or http://.');
  if (!isListed(url.hostname, hosts))
    throw new SkillInputError(
      `The agent may not reach ${url.hostname}: it may reach ${hosts.join(', ') || 'no host'}. Add the host in settings.ts and deploy.`,
    );
  return url;
}

function isListed(host: string, hosts: readonly string[]): boolean {
  return hosts.some((one) => one === host || (one.startsWith('*.') && host.endsWith(one.slice(1))));
}

async function boundedText(answer: Response, maxBytes: number, host: string, until?: (text: string) => boolean): Promise<string> {
  const decoder = new TextDecoder();
  let [text, length] = ['', 0];
  for await (const piece of answer.body ?? []) {
    length += piece.byteLength;
    // Leaving the loop ends the request.
    if (length > maxBytes) throw new SkillInvocationError(`${host} answered with more than ${maxBytes} bytes. Ask for less.`, { status: 502 });
    text += decoder.decode(piece, { stream: true });
    if (until?.(text)) break;
  }
  return text + decoder.decode();
}
