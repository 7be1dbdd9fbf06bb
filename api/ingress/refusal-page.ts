// An agent's own refusal, in JSON, as a page for a person at a browser. The agent's words are text.
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { HEADER } from '#contract/wire/headers.ts';
import { messagePage, pageHeaders } from '#drivers/idp/pages.ts';
import { sentence, titleOf } from '../http/browser.ts';

const MAX_BYTES = 65_536;
const MAX_MESSAGE = 1_000;
const Refused = z.object({ detail: z.object({ message: z.string() }) });

export function isRefusal(status: number, headers: Record<string, string | string[] | undefined>): boolean {
  return status >= 400 && String(headers['content-type'] ?? '').startsWith('application/json') && headers['content-encoding'] === undefined;
}

export class RefusalPage {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= MAX_BYTES) this.#chunks.push(chunk);
  }

  send(response: ServerResponse, status: number, requestId: string): void {
    const html = messagePage(
      titleOf(status),
      sentence((messageIn(Buffer.concat(this.#chunks).toString()) ?? `the agent answered ${status}`).slice(0, MAX_MESSAGE)),
    );
    response.writeHead(status, { ...pageHeaders(), [HEADER.requestId]: requestId }).end(html);
  }
}

/** Undefined where it is no refusal of ours in form. */
export function messageIn(text: string): string | undefined {
  try {
    return Refused.parse(JSON.parse(text)).detail.message;
  } catch {
    return undefined;
  }
}
