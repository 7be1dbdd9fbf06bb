// A stream on its way from an agent to the caller: passed on as it comes, read beside it for how the call ended.
import { Readable } from 'node:stream';
import { EventTooLarge, eventReader, type StreamedEvent } from '#contract/wire/event-stream.ts';

/** One event may have this many characters before we stop reading along (and call the stream broken); it still passes. */
const maxEventLength = 4 * 1024 * 1024;

export interface Watcher {
  /** Each event of the stream, as long as the agent keeps to the grammar and the bound. */
  onEvent(event: StreamedEvent): void;
  /** Once, when the stream has ended or the caller has left; what it resolves with is sent after the agent's last byte, unless the caller has left. */
  onEnd(how: 'ended' | 'left'): Promise<Uint8Array | undefined>;
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
  const reader = eventReader({ maxLength: maxEventLength, onEvent: (event) => watcher.onEvent(event) });
  const read = (how: () => void): void => {
    try {
      if (readable) how();
    } catch (error) {
      if (!(error instanceof EventTooLarge)) throw error;
      readable = false;
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
  const last = await watcher.onEnd('ended');
  // An event that the agent left open must not take ours into itself.
  if (last) yield tail === '' || tail === '\n\n' ? last : Buffer.concat([Buffer.from('\n\n'), last]);
}
