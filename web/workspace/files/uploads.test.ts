import { expect, test } from 'vitest';
import { ApiError } from '#contract/client.ts';
import { MAX_UPLOAD_BYTES } from '#contract/wire/limits.ts';
import type { SendFile } from './send-file.ts';
import { Uploads } from './uploads.ts';

interface Sent extends SendFile {
  done(): void;
  fail(error: Error): void;
}

function uploads() {
  const sent: Sent[] = [];
  let stored = 0;
  const discarded: string[] = [];
  const all = new Uploads(
    (file) => new Promise((done, fail) => void sent.push({ ...file, done, fail })),
    () => void (stored += 1),
    (id) => void discarded.push(id),
  );
  return { all, sent, discarded, stored: () => stored, states: () => all.all().map(({ state }) => state) };
}

const files = (...paths: string[]) => paths.map((path) => ({ path, file: new File(['x'], path) }));
const rest = () => new Promise((resolve) => setImmediate(resolve));

test('three at a time; the next begins when one ends', async () => {
  const it = uploads();
  it.all.add(files('a', 'b', 'c', 'd'));
  expect(it.states()).toEqual(['sending', 'sending', 'sending', 'queued']);
  it.sent[0]?.done();
  await rest();
  expect(it.states()).toEqual(['stored', 'sending', 'sending', 'sending']);
  expect(it.stored()).toBe(1);
});

test('what is there is replaced only when somebody says so', async () => {
  const it = uploads();
  it.all.add(files('a'));
  expect(it.sent[0]?.replace).toBe(false);
  it.sent[0]?.fail(new ApiError(412, { code: 'exists' }));
  await rest();
  expect(it.states()).toEqual(['exists']);
  it.all.replace(it.all.all()[0]?.id ?? 0);
  expect(it.sent[1]?.replace).toBe(true);
});

test('a cancelled one is stopped and makes room; a failed one says why and can be tried again', async () => {
  const it = uploads();
  it.all.add(files('a', 'b', 'c', 'd'));
  const [first, second] = it.all.all();
  it.all.cancel(first?.id ?? 0);
  expect(it.sent[0]?.signal.aborted).toBe(true);
  it.sent[0]?.fail(new DOMException('cancelled', 'AbortError'));
  it.sent[1]?.fail(new ApiError(413, { message: 'the account is full' }));
  await rest();
  expect(it.states()).toEqual(['cancelled', 'failed', 'sending', 'sending']);
  expect(it.all.all()[1]?.why).toBe('The account is full.');
  it.all.retry(second?.id ?? 0);
  expect(it.states()[1]).toBe('sending');
  it.all.clear();
  expect(it.states()).toEqual(['sending', 'sending', 'sending']);
});

test('a large one is paused and goes on; a cancelled one is given up at the platform', async () => {
  const it = uploads();
  it.all.add(files('a', 'b'));
  const [first, second] = it.all.all();
  it.sent[0]?.onOpened?.('upl_1');
  it.sent[0]?.onSent(1);
  it.all.pause(first?.id ?? 0);
  it.sent[0]?.fail(new DOMException('cancelled', 'AbortError'));
  await rest();
  expect([it.states(), it.all.all()[0]?.sent, it.discarded]).toEqual([['paused', 'sending'], 1, []]);
  it.all.clear();
  it.all.retry(first?.id ?? 0);
  expect(it.states()[0]).toBe('sending');
  it.all.cancel(first?.id ?? 0);
  expect(it.discarded).toEqual(['upl_1']);
  // Cancelled before the platform has said under what it keeps it.
  it.all.cancel(second?.id ?? 0);
  it.sent[1]?.onOpened?.('upl_2');
  expect(it.discarded).toEqual(['upl_1', 'upl_2']);
});

test('what the platform would refuse is not sent', () => {
  const it = uploads();
  const large = new File([], 'large');
  Object.defineProperty(large, 'size', { value: MAX_UPLOAD_BYTES + 1 });
  it.all.add([...files('../a'), { path: 'large', file: large }]);
  expect(it.states()).toEqual(['failed', 'failed']);
  expect(it.sent).toEqual([]);
});
