// A refusal written straight to the connection, for what never reaches the API's own middlewares: JSON, and a
// page for a person at a browser.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HEADER } from '#contract/wire/headers.ts';
import { messagePage, pageHeaders } from '#drivers/idp/pages.ts';
import { isPageVisit, sentence, titleOf } from './browser.ts';
import { drain } from './drain.ts';
import type { Refusal } from './errors.ts';

export async function sendRefusal(request: IncomingMessage, response: ServerResponse, { status, body, headers }: Refusal): Promise<void> {
  if (response.headersSent) return void response.destroy();
  // Node marks a request without a body complete only after the handler was called: drain, so that both cases
  // send the same answer.
  if (!request.complete) await drain(request);
  const closing: Record<string, string> = request.complete ? {} : { connection: 'close' };
  const forPerson = isPageVisit(request);
  const text = forPerson ? messagePage(titleOf(status), sentence(body.detail.message)) : JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    ...closing,
    ...(forPerson ? pageHeaders() : { 'content-type': 'application/json; charset=utf-8' }),
    'content-length': Buffer.byteLength(text),
    [HEADER.requestId]: body.detail.request_id,
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}
