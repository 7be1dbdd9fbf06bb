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
  readonly #response: ServerResponse;
  readonly #status: number;
  readonly #requestId: string;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(response: ServerResponse, status: number, requestId: string) {
    this.#response = response;
    this.#status = status;
    this.#requestId = requestId;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= MAX_BYTES) this.#chunks.push(chunk);
  }

  end(): void {
    const html = messagePage(titleOf(this.#status), sentence(this.#message().slice(0, MAX_MESSAGE)));
    this.#response.writeHead(this.#status, { ...pageHeaders(), [HEADER.requestId]: this.#requestId }).end(html);
  }

  #message(): string {
    try {
      return Refused.parse(JSON.parse(Buffer.concat(this.#chunks).toString())).detail.message;
    } catch {
      return `the agent answered ${this.#status}`;
    }
  }
}
