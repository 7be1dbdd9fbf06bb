// A stream on its way from an agent to the caller: passed on as it comes, read beside it for how the call
// ended.
import { Readable } from 'node:stream';
import { MAX_EVENT_LENGTH } from '#contract/wire/limits.ts';
import { EventTooLarge, eventReader, type StreamedEvent } from '#contract/wire/event-stream.ts';

export interface Watcher {
  /**
   * Each event of the stream, as long as the agent keeps to the grammar and the bound (MAX_EVENT_LENGTH);
   * what is larger still passes.
   */
  onEvent(event: StreamedEvent): void;
  /**
   * Once, when the stream has ended or the caller has left; what it resolves with is sent after the agent's
   * last byte, unless the caller has left.
   */
  onEnd(how: 'ended' | 'left' | 'too_large'): Promise<Uint8Array | undefined>;
}

/** The agent's bytes, and what `onEnd` adds. */
export function watchStream(upstream: Readable, signal: AbortSignal, watcher: Watcher): Readable {
  const bytes = watched(upstream, signal, watcher);
  // Begun at once: a caller that leaves before it reads anything ends the call all the same.
  void bytes.next();
  return Readable.from(bytes, { objectMode: false });
}

async function* watched(upstream: Readable, signal: AbortSignal, watcher: Watcher): AsyncGenerator<Uint8Array> {
  let readable = true;
  let end: 'ended' | 'too_large' = 'ended';
  const reader = eventReader({ maxLength: MAX_EVENT_LENGTH, onEvent: (event) => watcher.onEvent(event) });
  const read = (how: () => void): void => {
    try {
      if (readable) how();
    } catch (error) {
      if (!(error instanceof EventTooLarge)) throw error;
      readable = false;
      if (error.isOneEvent) end = 'too_large';
    }
  };
  let tail = '';
  let over = false;
  try {
    yield new Uint8Array(0);
    for await (const chunk of upstream) {
      read(() => reader.take(chunk));
      tail = (tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).subarray(-2).toString('latin1')).slice(-2);
      yield chunk;
    }
    read(() => reader.end());
    over = true;
  } catch {
    over = !signal.aborted;
  } finally {
    // The reader left in the middle: nothing can be yielded any more, the end is noted all the same.
    if (!over) await watcher.onEnd('left');
  }
  if (!over) return;
  const last = await watcher.onEnd(end);
  // An event that the agent left open must not take ours into itself.
  if (last) yield tail === '' || tail === '\n\n' ? last : Buffer.concat([Buffer.from('\n\n'), last]);
}
