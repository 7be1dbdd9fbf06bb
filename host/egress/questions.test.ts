import { expect, test } from 'vitest';
import { createQuestionBook } from './questions.ts';

const to = (guest: string, host = 'x.test') => ({ guest, host, port: 443 });
const idle = { ask: true, answers: [], wait_ms: 0 };

test('a connection waits for the answer, which holds for a moment; the same question is asked once', async () => {
  let now = 0;
  const book = createQuestionBook({ now: () => now });
  const first = book.ask(to('a'));
  const second = book.ask(to('a'));
  const other = book.ask(to('b'));
  const [mine, others, ...more] = await book.exchange(idle);
  expect([mine, others, more]).toMatchObject([{ guest: 'a', host: 'x.test', port: 443 }, { guest: 'b' }, []]);
  expect(await book.exchange(idle)).toEqual([]);
  const said = (id: string | undefined, allowed: boolean) => ({ question_id: id ?? '', allowed, reason: 'no' });
  await book.exchange({ ...idle, answers: [said(mine?.question_id, true), said(others?.question_id, false)] });
  expect(await Promise.all([first, second, other, book.ask(to('a'))])).toEqual([
    { allowed: true },
    { allowed: true },
    { allowed: false, reason: 'no' },
    { allowed: true },
  ]);
  now = 2_001;
  void book.ask(to('a'));
  expect(await book.exchange(idle)).toHaveLength(1);
});

test('a question that was taken by a worker that died is given to the next; unanswered, it is refused and asked again', async () => {
  let now = 0;
  const book = createQuestionBook({ now: () => now, patienceMs: 50 });
  const asked = book.ask(to('a'));
  const [taken] = await book.exchange(idle);
  now = 3_000;
  expect(await book.exchange(idle)).toEqual([taken]);
  expect(await asked).toMatchObject({ allowed: false, unanswered: true });
  void book.ask(to('a'));
  expect(await book.exchange(idle)).toHaveLength(1);
});

test('a waiting platform process gets a question when it comes; one that has left takes none', async () => {
  const book = createQuestionBook();
  const left = new AbortController();
  const gone = book.exchange({ ...idle, wait_ms: 60_000 }, left.signal);
  left.abort();
  void book.ask(to('a'));
  expect(await gone).toEqual([]);
  expect(await book.exchange({ ...idle, wait_ms: 60_000 })).toHaveLength(1);
  const waits = book.exchange({ ...idle, wait_ms: 60_000 });
  void book.ask(to('b'));
  expect(await waits).toMatchObject([{ guest: 'b' }]);
});

test('without rules nothing is asked; a guest cannot fill the book', async () => {
  const book = createQuestionBook({ patienceMs: 100 });
  const many = Array.from({ length: 65 }, (_, n) => book.ask(to('a', `h${n}.test`)));
  expect(await many[64]).toMatchObject({ unanswered: true });
  await book.exchange({ ...idle, ask: false });
  expect((await Promise.all(many.slice(0, 64))).every(({ allowed }) => allowed)).toBe(true);
  expect(await book.ask(to('a'))).toEqual({ allowed: true });
});
