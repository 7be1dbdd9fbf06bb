// C28. Event streams as proxies and other people's servers write them, one byte at a time, read by each
// reader of ours: the same text with every line end, and a stream that was cut is called cut.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readEvents } from '#cli/lib/sse.ts';
import { A2AClient } from '#sdk/typescript/platform/a2a-client.ts';
import { httpModels } from '#sdk/typescript/llm/http.ts';

const FAMILY = '👩‍👩‍👧';
const LONG = 'é'.repeat(500_000);

interface Answer {
  bytes: Uint8Array;
  /** The connection breaks off; else the answer ends as if it were whole. */
  breaks?: boolean;
  pieceLength?: number;
}
let answers: Answer[] = [];
let asked: (string | undefined)[] = [];
const server = createServer((request, response) => {
  asked.push(request.headers['last-event-id']?.toString());
  const { bytes, breaks = false, pieceLength = 1 } = answers.shift() ?? { bytes: new Uint8Array(0) };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.socket?.setNoDelay(true);
  void (async () => {
    for (let at = 0; at < bytes.length && !response.destroyed; at += pieceLength) {
      response.write(bytes.subarray(at, at + pieceLength));
      await turn();
    }
    if (breaks) response.destroy();
    else response.end();
  })();
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** What a reader has to be sent so that it hears `text`, as documents of its own protocol. */
type Documents = (text: string) => string[];
interface Reader {
  documents: Documents;
  /** What was heard. */
  read(): Promise<string>;
  /** What it says of a stream that was cut. */
  cut: RegExp;
}

const agent: Documents = (text) => [
  JSON.stringify({ kind: 'text_delta', payload: { text } }),
  JSON.stringify({ kind: 'result', payload: { result: 'the end' } }),
];
const choice = (more: object) => JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...more }] });
const model: Documents = (text) => [choice({ delta: { content: text }, finish_reason: null }), choice({ delta: {}, finish_reason: 'stop' }), '[DONE]'];

interface Said {
  kind: string;
  payload: { text?: string };
}
/** Ends with a complaint, as those who read do, where the result has not come. */
function heard(events: readonly unknown[]): string {
  const said = events as Said[];
  if (said.at(-1)?.kind !== 'result') throw new Error('the stream ended before its result');
  return said.map(({ payload }) => payload.text ?? '').join('');
}

interface Runtime {
  skillClient(skill: string, defaults: object, options: object): { stream(args: object): AsyncGenerator<object> };
}
interface Heard {
  data: unknown;
}
interface DashboardStream {
  follow(url: string, how: { onEvents(events: Heard[]): void; isOver(): boolean; signal: AbortSignal }): Promise<void>;
}
interface PageEvents {
  eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<object>;
}

/** What is copied into people's projects. Safe: that is its form, and the compiler does not know it. */
async function template<T>(path: string): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-template-'));
  try {
    const file = join(folder, path.split('/').at(-1)?.replace('.tmpl', '') ?? '');
    await writeFile(file, await readFile(join(import.meta.dirname, '../..', path), 'utf8'));
    return (await import(file)) as T;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const page = (path: string): Reader => ({
  documents: agent,
  cut: /ended before its result|terminated/,
  async read() {
    const { eventsIn } = await template<PageEvents>(path);
    return heard(await Array.fromAsync(eventsIn((await fetch(url)).body ?? new ReadableStream())));
  },
});

const READERS: Record<string, Reader> = {
  'ctx.llm.stream': {
    documents: model,
    cut: /broke off/,
    async read() {
      const models = httpModels(
        () => ({ baseUrl: url, headers: {} }),
        () => ({}),
      );
      const none = { protocol: undefined, maxTokens: undefined, temperature: undefined, tools: [], schema: undefined };
      const request = { ...none, model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };
      const asking = models.ask(request, { stream: true, signal: new AbortController().signal });
      return (await Array.fromAsync(asking)).join('');
    },
  },
  'the SDK’s client of agents': {
    documents: agent,
    cut: /broke off|cannot be reached/,
    read: async () => (await new A2AClient().call(url, 'x', {})).events.map(({ payload }) => String(payload['text'])).join(''),
  },
  'svc call --stream': {
    documents: agent,
    cut: /ended before its result|terminated/,
    read: async () => heard((await Array.fromAsync(readEvents(await fetch(url)))).map(({ data }) => data)),
  },
  'a generated client': {
    documents: agent,
    cut: /ended before the run did|terminated/,
    async read() {
      const { skillClient } = await template<Runtime>('cli/templates/openapi-client/runtime.ts');
      return heard(await Array.fromAsync(skillClient('x', {}, { baseUrl: url }).stream({})));
    },
  },
  'a page of plain files': page('cli/templates/frontend-static/events.js.tmpl'),
  'a page of React': page('cli/templates/frontend-react/src/events.ts.tmpl'),
  'the page of a recipe': page('core/studio/recipe/page/events.js'),
};

/** With all that the grammar allows: a BOM, comments, data in several lines, events without data. */
function stream(documents: readonly string[], end: string): string {
  const lines = documents.flatMap((document, at) => {
    const middle = document.indexOf(':') + 1;
    const data = middle === 0 ? [document] : [document.slice(0, middle), document.slice(middle)];
    return [': a comment', '', `id: ${at + 1}`, ...data.map((one) => `data: ${one}`), '', 'data:', '', 'retry: 1000', ''];
  });
  return `\uFEFF${lines.map((line) => line + end).join('')}`;
}
const encode = (text: string) => new TextEncoder().encode(text);

describe.each(Object.entries(READERS))('%s', (_, { documents, read, cut }) => {
  test.each(['\n', '\r', '\r\n'])('hears the same with %j, one byte at a time', async (end) => {
    answers = [{ bytes: encode(stream(documents(FAMILY), end)) }];
    expect(await read()).toBe(FAMILY);
  });

  test('hears a line of a megabyte in small pieces', async () => {
    answers = [{ bytes: encode(stream(documents(LONG), '\n')), pieceLength: 4_096 }];
    expect((await read()) === LONG).toBe(true);
  });

  test('hears the last event without its empty line', async () => {
    answers = [{ bytes: encode(stream(documents(FAMILY), '\r\n').replace(/(?:\r\n)+data:\r\n\r\nretry: 1000\r\n\r\n$/, '')) }];
    expect(await read()).toBe(FAMILY);
  });

  test.each([
    ['breaks off', true],
    ['ends as if it were whole', false],
  ])('calls a stream cut that %s inside of a character', async (__, breaks) => {
    const whole = encode(stream(documents(FAMILY), '\n'));
    const inside = whole.indexOf(encode(FAMILY)[0] ?? 0, 3) + 2;
    answers = [{ bytes: whole.subarray(0, inside), breaks }];
    await expect(read()).rejects.toThrow(cut);
  });
});

test('the dashboard hears each event once, and goes on after the last whole one when the stream was cut inside of a character', async () => {
  // Safe: that is its form. Its types are of a browser, which the compiler has for web/ alone.
  const { follow } = (await import(new URL('../../web/api/stream.ts', import.meta.url).href)) as DashboardStream;
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }));
  const [first = '', last = ''] = agent(FAMILY);
  for (const end of ['\n', '\r', '\r\n']) {
    const whole = encode(stream([first, first], end));
    const events: Heard[] = [];
    asked = [];
    const inside = whole.lastIndexOf(encode(FAMILY)[0] ?? 0) - 4;
    answers = [{ bytes: whole.subarray(0, inside) }, { bytes: encode(stream([first, last], end)) }];
    await follow(url, { onEvents: (more) => events.push(...more), isOver: () => events.length > 2, signal: new AbortController().signal });
    expect(asked).toEqual([undefined, '1']);
    expect(events.map(({ data }) => data)).toEqual([first, first, last].map((one) => JSON.parse(one)));
  }
  vi.unstubAllGlobals();
});
