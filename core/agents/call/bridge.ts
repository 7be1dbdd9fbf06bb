// An agent's event stream on its way to the caller: passed on as it comes, read only for its outcome, closed with the receipt.
import type { Readable } from 'node:stream';
import { canonicalJson } from '../../../contract/wire/canonical.ts';
import { TERMINAL_EVENT_KINDS } from '../../../contract/wire/events.ts';
import type { Ctx } from '../../ctx.ts';
import { createParser } from 'eventsource-parser'; // the parser of the event stream grammar, by its reference implementers
import { type Call, errorCode, sha256 } from './invoke.ts';
import { type Ending, sealCall } from './seal.ts';

/** Yields the agent's bytes unchanged, then one `receipt` event. A stream that breaks off is sealed as what it was. */
export async function* bridgeStream(ctx: Ctx, call: Call, upstream: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let ending: Ending | undefined;
  let lastId = 0;
  const parser = createParser({
    onEvent: ({ event, data, id }) => {
      if (id !== undefined && /^\d+$/.test(id)) lastId = Number(id);
      if (isTerminal(event)) ending = readEnding(event, data);
    },
  });
  const decoder = new TextDecoder();
  let over = false;
  try {
    for await (const chunk of upstream) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      yield chunk;
    }
    over = true;
  } catch {
    over = !signal.aborted;
  } finally {
    // The reader left in the middle: nothing can be yielded any more, the receipt is sealed all the same.
    if (!over) await sealCall(ctx, call, ending ?? { status: 'cancelled', errorCode: 'cancelled_by_caller' });
  }
  if (over) yield receiptEvent(lastId + 1, await sealCall(ctx, call, ending ?? { status: 'error', errorCode: 'stream_broken' }));
}

function isTerminal(event: string | undefined): event is 'result' | 'failed' {
  return TERMINAL_EVENT_KINDS.some((kind) => kind === event);
}

function readEnding(event: 'result' | 'failed', data: string): Ending {
  try {
    const { payload }: { payload?: { result?: unknown; detail?: unknown } } = JSON.parse(data);
    if (event === 'result') return { status: 'ok', outputSha256: sha256(canonicalJson(payload?.result ?? null)) };
    const code = errorCode(payload) ?? 'skill_failed';
    return { status: code === 'cancelled_by_caller' ? 'cancelled' : 'error', errorCode: code };
  } catch {
    return { status: 'error', errorCode: 'bad_event' };
  }
}

function receiptEvent(id: number, receipt: { receipt_id: string; token: string }): Uint8Array {
  const data = JSON.stringify({ kind: 'receipt', payload: { receipt_id: receipt.receipt_id, token: receipt.token } });
  return new TextEncoder().encode(`id: ${id}\nevent: receipt\ndata: ${data}\n\n`);
}
