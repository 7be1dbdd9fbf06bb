// What each of the provider's operations is given, and the two forms of an answer.
import type { ServerResponse } from 'node:http';
import { chosenCalls } from './tools.ts';

export interface Called {
  name: string;
  arguments: object;
}

/** What the model is to do next. */
export interface Turn {
  /** In words, each a piece of a stream. */
  says?: readonly string[];
  calls?: readonly Called[];
}

export interface Answering {
  response: ServerResponse;
  body: Record<string, unknown>;
  /** Tools it calls; absent: the first that it is offered. */
  calls?: readonly Called[] | undefined;
  /** What it says, and how fast. */
  provider: { words: readonly string[]; pace: (at: number) => Promise<void>; nextId: (id: string) => string };
}

export async function whole(response: ServerResponse, value: unknown): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

export function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
}

/** The calls with the pieces that their arguments are streamed in. */
export function callsOf({ calls, body }: Answering): { name: string; input: object; pieces: readonly string[] }[] {
  return (calls ?? chosenCalls(body)).map(({ name, arguments: input }) => {
    const text = JSON.stringify(input);
    return { name, input, pieces: text.length > 8 ? [text.slice(0, 8), text.slice(8)] : [text] };
  });
}
