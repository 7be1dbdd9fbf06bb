// Whole answers of models, and events of streams: hidden in them is the key, and counted is what they used.
// Thirty megabytes take more than a second of a processor: what is large is read in threads, one piece of an
// account at a time.
import type { ModelProtocol, ModelUsage } from '#drivers/llm/port.ts';
import { bytesWithoutKey, textWithoutKey } from '#drivers/llm/without-key.ts';
import { BadGateway } from '../../kernel/errors.ts';
import { fairThreads } from '../../kernel/fair-threads.ts';
import { objectIn } from './object-in.ts';
import { operationNamed } from './operations.ts';
import type { Body } from './wire.ts';

export interface AnswerTask {
  bytes: Uint8Array;
  apiKey: string | null;
  /** Absent: nothing of it is counted. */
  counts?: { protocol: ModelProtocol; name: string };
}

/** The usage is that of this piece, after what was used before it. */
interface Counted {
  usage: ModelUsage | undefined;
  said: number;
}

export interface ReadAnswer {
  bytes: Uint8Array;
  /** Undefined: it counts nothing. */
  counted?: Counted;
}

export interface EventTask {
  data: string;
  apiKey: string | null;
  counts: { protocol: ModelProtocol; name: string };
  before: ModelUsage | undefined;
  /** What decides what is shown. */
  asked: Body;
}

export interface ReadEvent {
  /** Undefined: the caller did not ask for it. */
  data: string | undefined;
  counted?: Counted;
}

export type ReadTask = AnswerTask | EventTask;

const threads = fairThreads<ReadTask, ReadAnswer | ReadEvent>('The thread that reads answers of models', new URL('./thread.ts', import.meta.url), {
  threads: 2,
  pieceMs: 10_000,
  waitingOfAccount: 500,
  memoryMib: 1_024,
});
export const answerThreadCounts = threads.counts;

/** Three milliseconds of a processor. */
const MAX_HERE = 65_536;

export const isLarge = (length: number): boolean => length > MAX_HERE;

/** @param account whose endpoint it is @throws BadGateway model_bad_answer */
export async function readAnswer(account: string, task: AnswerTask): Promise<ReadAnswer> {
  if (!isLarge(task.bytes.length)) return answerHere(task);
  const answer = await threads.tryAsk(account, task);
  if (!answer || !('bytes' in answer)) throw tooMuch();
  return answer;
}

/** @throws BadGateway model_bad_answer */
export async function readEvent(account: string, task: EventTask): Promise<ReadEvent> {
  const answer = await threads.tryAsk(account, task);
  if (!answer || !('data' in answer)) throw tooMuch();
  return answer;
}

function tooMuch(): BadGateway {
  return new BadGateway('model_bad_answer', 'The answer is too much to be read: ask for less at once, and try again in some minutes');
}

export function readHere(task: ReadTask): ReadAnswer | ReadEvent {
  return 'bytes' in task ? answerHere(task) : eventHere(task);
}

/** Without `counted` where something is to be counted: it is no JSON object. */
function answerHere({ bytes, apiKey, counts }: AnswerTask): ReadAnswer {
  const bare = bytesWithoutKey(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), apiKey);
  const metered = counts && operationNamed(counts.protocol, counts.name)?.metered;
  const answer = metered && objectIn(bare.toString());
  return { bytes: bare, ...(answer && { counted: { usage: metered.usage(answer, undefined), said: metered.said(answer) } }) };
}

function eventHere({ data, apiKey, counts, before, asked }: EventTask): ReadEvent {
  const metered = operationNamed(counts.protocol, counts.name)?.metered;
  const piece = objectIn(data);
  if (!piece || !metered) return { data: textWithoutKey(data, apiKey) };
  const counted = { usage: metered.usage(piece, before), said: metered.said(piece) };
  const visible = metered.shown ? metered.shown(piece, asked) : piece;
  return { data: visible && textWithoutKey(visible === piece ? data : JSON.stringify(visible), apiKey), counted };
}
