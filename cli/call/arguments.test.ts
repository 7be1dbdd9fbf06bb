import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { inputReader, jsonArguments, pairArguments } from './arguments.ts';

const read = inputReader(Readable.from([]));
const never = async () => {
  throw new Error('the schema was asked for');
};
const schema = async () => ({
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    on: { type: 'boolean' },
    tags: { type: 'array' },
    maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    either: { type: ['integer', 'string'] },
  },
});

test('plain words need no schema', async () => {
  expect(await pairArguments(['text=Hello World', 'empty=', 'url=a=b'], read, never)).toEqual({ text: 'Hello World', empty: '', url: 'a=b' });
  expect(await pairArguments([], read, never)).toEqual({});
});

test('what looks like JSON is read as the skill wants it', async () => {
  const pairs = ['text=42', 'count=42', 'ratio=2', 'on=true', 'tags=["a"]', 'maybe=null', 'either=7', 'other={"a":1}'];
  expect(await pairArguments(pairs, read, schema)).toEqual({ text: '42', count: 42, ratio: 2, on: true, tags: ['a'], maybe: null, either: 7, other: { a: 1 } });
  expect(await pairArguments(['text=true', 'text2=[draft] x'], read, schema)).toEqual({ text: 'true', text2: '[draft] x' });
  expect(await pairArguments(['count=2', 'on=false'], read, async () => undefined)).toEqual({ count: 2, on: false });
});

test('a value of the wrong kind goes to the agent, whose refusal names it', async () => {
  expect(await pairArguments(['count=many', 'on=1'], read, schema)).toEqual({ count: 'many', on: 1 });
});

test('@file and @- stand for their content; standard input once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-args-'));
  try {
    const file = join(folder, 'notes.md');
    await writeFile(file, '# Notes\n');
    const reader = inputReader(Readable.from(['from ', 'stdin']));
    expect(await pairArguments([`text=@${file}`, 'other=@-'], reader, never)).toEqual({ text: '# Notes\n', other: 'from stdin' });
    await expect(pairArguments(['text=@-'], reader, never)).rejects.toThrow('once');
    await expect(pairArguments(['text=@nowhere.md'], read, never)).rejects.toThrow('nowhere.md cannot be read');
    await writeFile(file, '{"a":1}');
    expect(await jsonArguments(`@${file}`, read)).toEqual({ a: 1 });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('what is no argument says what to write', async () => {
  await expect(pairArguments(['text'], read, never)).rejects.toThrow('not key=value');
  await expect(pairArguments(['=x'], read, never)).rejects.toThrow('not key=value');
  await expect(pairArguments(['a=1', 'a=2'], read, schema)).rejects.toThrow('given twice');
  for (const bad of ['', '[]', '1', 'null', '{a:1}']) await expect(jsonArguments(bad, read), bad).rejects.toThrow('--json must be a JSON object');
});
