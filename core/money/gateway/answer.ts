// Answers of an endpoint as the caller of the gateway sees them.
import type { Readable } from 'node:stream';
import { exchangeError } from '#drivers/llm/exchange.ts';
import type { ModelError, ModelTarget } from '#drivers/llm/port.ts';
import { errorWithoutKey, textWithoutKey, withoutKey } from '#drivers/llm/without-key.ts';
import { BadGateway, DomainError } from '../../kernel/errors.ts';
import { modelFailure } from '../llm/failure.ts';
import { type AnswerTask, type ReadAnswer, readAnswer } from './large-answers.ts';
import type { Payer } from './payer.ts';

const MOST_ANSWER_BYTES = 32 * 1024 * 1024;
/** Of a list of models, or a count. */
const MOST_UNCOUNTED_BYTES = 2 * 1024 * 1024;
export const MOST_REFUSAL_BYTES = 65_536;

export interface GatewayAnswer {
  status: number;
  headers: Record<string, string>;
  body: AsyncIterable<Buffer>;
  /** For the log. */
  model: string | null;
}

export interface Sending {
  payer: Payer;
  target: ModelTarget;
  body: string | undefined;
}

/**
 * What the endpoint refuses it says itself, but of the key: its words show parts of it, and the run can do
 * nothing about it.
 */
export async function refusal({ status, headers, body }: { status: number; headers: Raw; body: Readable }, s: Sending): Promise<GatewayAnswer> {
  const { apiKey } = s.target;
  const text = (await whole(withoutKey(body, apiKey), MOST_REFUSAL_BYTES)).toString();
  if (status === 401 || status === 403 || status === 402 || /insufficient_quota|billing/i.test(text))
    throw modelFailure(exchangeError({ statusCode: 401 }, { apiKey: null, cancelled: false }), about(s));
  return { status, headers: shownHeaders(headers, apiKey), body: of(Buffer.from(errorWithoutKey(text, apiKey))), model: s.target.model };
}

function about({ payer, target }: Sending): { credential: string; model: string } {
  // Another person's name for their credential is not the agent's to know.
  return { credential: payer.foreign ? "the caller's" : payer.credential.name, model: target.model };
}

export function failure(error: unknown, signal: AbortSignal, s: Sending): DomainError {
  if (error instanceof DomainError) return error;
  const failed: ModelError = exchangeError(error, { apiKey: s.target.apiKey, cancelled: signal.aborted });
  return modelFailure(failed, about(s));
}

type Raw = Readonly<Record<string, string | string[] | undefined>>;

/** What says something of the answer; nothing of the account at the provider. */
const SHOWN = /^(?:content-type|retry-after|retry-after-ms|x-should-retry|request-id|x-request-id|openai-(?:version|processing-ms|model))$/;

export function shownHeaders(headers: Raw, apiKey: string | null): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (SHOWN.test(name) && value !== undefined ? [[name, textWithoutKey(String(value), apiKey)]] : [])),
  );
}

/** An answer that is no stream. @throws BadGateway model_bad_answer */
export async function readWhole(body: AsyncIterable<Buffer>, { payer, target }: Sending, counts?: AnswerTask['counts']): Promise<ReadAnswer> {
  const { apiKey } = target;
  const bytes = await whole(bounded(withoutKey(body, apiKey), counts ? MOST_ANSWER_BYTES : MOST_UNCOUNTED_BYTES));
  return readAnswer(payer.credential.user_id, { bytes, apiKey, ...(counts && { counts }) });
}

async function* bounded(body: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let seen = 0;
  for await (const chunk of body) {
    seen += chunk.length;
    if (seen > most) throw new BadGateway('model_bad_answer', `The answer is longer than ${most} bytes`);
    yield chunk;
  }
}

export async function whole(body: AsyncIterable<Buffer>, most = Infinity): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let seen = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    seen += chunk.length;
    if (seen > most) break;
  }
  return Buffer.concat(chunks).subarray(0, most);
}

export async function* of(bytes: Uint8Array): AsyncGenerator<Buffer> {
  yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
