// A stream on its way from an agent to the caller: passed on as it comes, read beside it for how the call ended.
import { Readable } from 'node:stream';
import { createParser, type EventSourceMessage } from 'eventsource-parser'; // the event stream grammar, by its reference implementers

/** One event may have this many characters before we stop reading along (and call the stream broken); it still passes. */
const maxEventLength = 4 * 1024 * 1024;

export interface Watcher {
  /** Each event of the stream, as long as the agent keeps to the grammar and the bound. */
  onEvent(event: EventSourceMessage): void;
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
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: (event) => watcher.onEvent(event),
    onError: ({ type }) => void (readable &&= type !== 'max-buffer-size-exceeded'),
  });
  const decoder = new TextDecoder();
  let over = false;
  try {
    yield new Uint8Array(0);
    for await (const chunk of upstream) {
      if (readable) parser.feed(decoder.decode(chunk, { stream: true }));
      yield chunk;
    }
    over = true;
  } catch {
    over = !signal.aborted;
  } finally {
    // The reader left in the middle: nothing can be yielded any more, the end is noted all the same.
    if (!over) await watcher.onEnd('left');
  }
  if (!over) return;
  const last = await watcher.onEnd('ended');
  if (last) yield last;
}
