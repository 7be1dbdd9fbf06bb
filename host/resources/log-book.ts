// The log of one instance: numbered lines, the newest in memory, two files of bounded size on disk. A guest
// may flood it: bytes are metered, its own and, apart from those, what the platform says because of it (each
// refused connection is a line).
import { appendFile, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '#drivers/runtime/lines.ts';
import type { LogLine } from '#drivers/runtime/port.ts';
import { StoredLine } from '#drivers/runtime/wire.ts';

type Line = Omit<LogLine, 'seq'>;
export interface LogBook {
  add(line: Line): void;
  read(options: { after?: number | undefined; limit?: number | undefined }): Promise<LogLine[]>;
  /** Called for each line from now on; answers how to end it. */
  follow(listener: (line: LogLine) => void): () => void;
  /** The newest lines as text. */
  tail(count: number): string[];
  flush(): Promise<void>;
}

export interface LogLimits {
  fileBytes: number;
  burstBytes: number;
  bytesPerSecond: number;
}
const defaults: LogLimits = { fileBytes: 4 * 1_048_576, burstBytes: 1_048_576, bytesPerSecond: 131_072 };
const maxRecentLines = 1_000;
const longestLine = 16_384;

export async function openLogBook(dir: string, limits: LogLimits = defaults): Promise<LogBook> {
  const path = join(dir, 'log.ndjson');
  const older = join(dir, 'log.1.ndjson');
  const recent = (await readLines(path)).slice(-maxRecentLines);
  const listeners = new Set<(line: LogLine) => void>();
  let next = (recent.at(-1)?.seq ?? (await readLines(older)).at(-1)?.seq ?? -1) + 1;
  let size = await stat(path).then(
    (about) => about.size,
    () => 0,
  );
  const meters = { guest: new Meter(limits), platform: new Meter(limits) };
  let unwritten: string[] = [];
  let writing: Promise<void> | undefined;

  const store = (line: Line): void => {
    const entry: LogLine = { seq: next++, at: line.at, stream: line.stream, text: line.text.slice(0, longestLine) };
    recent.push(entry);
    if (recent.length > maxRecentLines) recent.splice(0, recent.length - maxRecentLines);
    unwritten.push(`${JSON.stringify(entry)}\n`);
    writing ??= write().finally(() => (writing = undefined));
    for (const listener of listeners) listener(entry);
  };
  async function write(): Promise<void> {
    while (unwritten.length > 0) {
      const text = unwritten.join('');
      unwritten = [];
      if (size > limits.fileBytes) {
        await rename(path, older).catch(() => undefined);
        size = 0;
      }
      // A full disk loses lines, never the agent.
      await appendFile(path, text, { mode: 0o600 }).catch(() => undefined);
      size += Buffer.byteLength(text);
    }
  }
  return {
    add(line) {
      const own = line.stream === 'system';
      const meter = own ? meters.platform : meters.guest;
      if (!meter.take(Math.min(line.text.length, longestLine) + 64)) return;
      const dropped = meter.droppedBefore();
      const rate = `more than ${Math.round(limits.bytesPerSecond / 1024)} KiB a second`;
      const why = own ? `the platform's own lines about this agent were dropped: it causes ${rate}` : `log lines were dropped: this agent writes ${rate}`;
      if (dropped > 0) store({ at: Date.now(), stream: 'system', text: `${dropped} ${why}.` });
      store(line);
    },
    async read({ after = -1, limit = 1_000 }) {
      const first = recent[0]?.seq ?? next;
      if (after + 1 >= first) return recent.filter((line) => line.seq > after).slice(0, limit);
      await writing;
      const all = [...(await readLines(older)), ...(await readLines(path))];
      return all.filter((line) => line.seq > after).slice(0, limit);
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tail: (count) => recent.slice(-count).map((line) => line.text),
    async flush() {
      await writing;
    },
  };
}

class Meter {
  readonly #limits: LogLimits;
  #credit: number;
  #at = performance.now();
  #dropped = 0;

  constructor(limits: LogLimits) {
    this.#limits = limits;
    this.#credit = limits.burstBytes;
  }

  /** False when there is no room for so many bytes now. */
  take(bytes: number): boolean {
    const now = performance.now();
    this.#credit = Math.min(this.#limits.burstBytes, this.#credit + ((now - this.#at) / 1000) * this.#limits.bytesPerSecond);
    this.#at = now;
    if (this.#credit < bytes) {
      this.#dropped += 1;
      return false;
    }
    this.#credit -= bytes;
    return true;
  }

  /** How many were refused since this was last asked. */
  droppedBefore(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}

async function readLines(path: string): Promise<LogLine[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const parsed = StoredLine.safeParse(parseJson(line));
    return parsed.success ? [parsed.data] : [];
  });
}
