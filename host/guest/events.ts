// The agent process's line to the host: log lines and what it is doing. Survives the host's restarts; keeps
// the newest lines meanwhile.
import { connect, type Socket } from 'node:net';
import type { GuestEvent } from '#drivers/runtime/wire.ts';

export interface Events {
  send(event: GuestEvent): void;
  /** Sent again after every reconnection. */
  keep(event: GuestEvent): void;
  /** Resolves when what was sent has left this process, or the time is over. */
  flushed(timeoutMs: number): Promise<void>;
}

const maxPending = 1_000;
const maxBuffered = 1_048_576;
const maxLine = 16_384;

export function openEvents(path: string): Events {
  const pending: string[] = [];
  const eventsByType = new Map<string, GuestEvent>();
  let socket: Socket | undefined;
  let dropped = 0;

  const write = (event: GuestEvent): void => {
    const line = `${JSON.stringify(event)}\n`;
    if (socket !== undefined && socket.writableLength < maxBuffered) return void socket.write(line);
    pending.push(line);
    if (pending.length > maxPending) {
      pending.shift();
      dropped += 1;
    }
  };
  const dial = (): void => {
    const fresh = connect(path);
    fresh.unref();
    fresh.on('connect', () => {
      socket = fresh;
      for (const event of eventsByType.values()) write(event);
      if (dropped > 0) write({ t: 'log', s: 'stderr', x: `(${dropped} log lines were dropped)` });
      dropped = 0;
      for (const line of pending.splice(0)) fresh.write(line);
    });
    fresh.on('drain', () => {
      for (const line of pending.splice(0)) fresh.write(line);
    });
    fresh.on('error', () => undefined);
    fresh.on('close', () => {
      socket = undefined;
      setTimeout(dial, 200).unref();
    });
    fresh.resume();
  };
  dial();
  return {
    send: write,
    keep(event) {
      eventsByType.set(event.t, event);
      if (socket !== undefined) write(event);
    },
    async flushed(timeoutMs) {
      const end = performance.now() + timeoutMs;
      while ((socket === undefined || pending.length > 0 || socket.writableLength > 0) && performance.now() < end) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
  };
}

type Write = typeof process.stdout.write;

/** Turns everything the process writes to a standard stream into log events. */
export function captureOutput(stream: NodeJS.WriteStream, name: 'stdout' | 'stderr', events: Events): void {
  let line = '';
  const emit = (): void => {
    events.send({ t: 'log', s: name, x: line.slice(0, maxLine), at: Date.now() });
    line = '';
  };
  const write = (chunk: string | Uint8Array, encoding?: BufferEncoding | ((error?: Error) => void), callback?: (error?: Error) => void): boolean => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const parts = text.split('\n');
    parts.forEach((part, index) => {
      if (line.length < maxLine) line += part;
      if (index < parts.length - 1) emit();
    });
    const done = typeof encoding === 'function' ? encoding : callback;
    if (done !== undefined) process.nextTick(done);
    return true;
  };
  stream.write = asWrite(write);
}

/**
 * `write` accepts every argument list that Stream.write declares; overloads cannot be written as one arrow
 * function.
 */
const asWrite = (write: (chunk: string, encoding?: BufferEncoding, callback?: (error?: Error) => void) => boolean): Write => write as Write;
