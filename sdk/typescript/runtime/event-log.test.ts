import { describe, expect, it, vi } from 'vitest';
import { EventLog, EventsGone, type LoggedEvent } from './event-log.ts';
import { turns } from '../../../test/support/turns.ts';

async function take(log: EventLog, count: number, after = 0): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for await (const event of log.read(after)) {
    events.push(event);
    if (events.length >= count) break;
  }
  return events;
}

describe('the events of a detached run', () => {
  it('are numbered from 1 without gaps, and read again from any number by any reader', async () => {
    const log = new EventLog();
    for (const n of [1, 2, 3]) void log.append('progress', { n });
    log.end('result', { result: null });
    const whole = await Array.fromAsync(log.read());
    expect(whole.map(({ seq, kind }) => [seq, kind])).toEqual([
      [1, 'progress'],
      [2, 'progress'],
      [3, 'progress'],
      [4, 'result'],
    ]);
    expect(JSON.parse(whole[0]?.data ?? '')).toEqual({ kind: 'progress', payload: { n: 1 } });
    expect((await Array.fromAsync(log.read(2))).map(({ seq }) => seq)).toEqual([3, 4]);
    expect((await Array.fromAsync(log.read(4))).length).toBe(0);
    // A number this log never had: of another life of the run.
    expect((await Array.fromAsync(log.read(99))).length).toBe(4);
  });

  it('reach readers that wait, until the last', async () => {
    const log = new EventLog();
    const reading = Array.fromAsync(log.read());
    await turns();
    void log.append('a', {});
    await turns();
    log.end('result', {});
    void log.append('late', {});
    expect((await reading).map(({ kind }) => kind)).toEqual(['a', 'result']);
    expect(log.taken).toBe(true);
  });

  it('are never dropped unread: a full log holds the writer back until somebody has read on', async () => {
    const log = new EventLog(() => {}, { events: 3, bytes: 10_000 });
    for (let n = 0; n < 3; n += 1) expect(log.append('e', {})).toBeUndefined();
    let resumed = false;
    void log.append('e', {})?.then(() => (resumed = true));
    await turns();
    expect(resumed).toBe(false);
    expect((await take(log, 4)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    await vi.waitFor(() => expect(resumed).toBe(true));
  });

  it('make room once read, and say so to who comes for them later', async () => {
    const log = new EventLog(() => {}, { events: 2, bytes: 10_000 });
    void log.append('e', {});
    void log.append('e', {});
    const reader = log.read();
    await reader.next();
    await reader.next();
    const third = reader.next();
    void log.append('e', {});
    await third;
    await expect(Array.fromAsync(log.read(0))).rejects.toBeInstanceOf(EventsGone);
    expect(log.has(0)).toBe(false);
    expect(log.oldest).toBe(2);
    await reader.return(undefined);
  });

  it('stop a writer that does not wait although it must', () => {
    const overflow = vi.fn();
    const log = new EventLog(overflow, { events: 2, bytes: 10_000 });
    for (let n = 0; n < 5; n += 1) void log.append('e', {});
    expect(overflow).toHaveBeenCalled();
  });

  it('let a reader go without the run noticing', async () => {
    const log = new EventLog();
    const gone = new AbortController();
    const reading = Array.fromAsync(log.read(0, gone.signal));
    await turns();
    gone.abort();
    expect(await reading).toEqual([]);
    expect(log.ended).toBe(false);
  });
});
