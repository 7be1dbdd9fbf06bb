// What each of the provider's operations is given, and the two forms of an answer.
import type { ServerResponse } from 'node:http';

export interface Answering {
  response: ServerResponse;
  body: Record<string, unknown>;
  /** What it says, and how fast. */
  provider: { words: readonly string[]; pace: (at: number) => Promise<void> };
}

export async function whole(response: ServerResponse, value: unknown): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

export function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
}
