// What a generated client reads of a stream: it has no dependencies, so it reads with lines of its own.
import { expect, it } from 'vitest';

interface Runtime {
  skillClient(skill: string, defaults: object, options: object): { stream(args: object): AsyncGenerator<object, number> };
}

it('reads the events of a run with every line end, cut at every byte, and the last one without its empty line', async () => {
  // Safe: that is its form. It is copied into projects, and not checked with ours.
  const { skillClient } = (await import(new URL('../templates/openapi-client/runtime.ts', import.meta.url).href)) as Runtime;
  for (const end of ['\n', '\r', '\r\n']) {
    const lines = [
      ': hi',
      '',
      'id: 1',
      'event: x',
      'data: {"kind":"x",',
      'data: "payload":{"é":1}}',
      '',
      'id: 2',
      'data:{"kind":"result","payload":{"result":3}}',
    ];
    const bytes = new TextEncoder().encode(lines.join(end));
    for (let at = 0; at <= bytes.length; at += 1) {
      const answer = async () => new Response(ReadableStream.from([bytes.subarray(0, at), bytes.subarray(at)]), { status: 200 });
      const run = skillClient('s', { baseUrl: 'http://a.test' }, { fetch: answer }).stream({});
      expect([await run.next(), await run.next(), await run.next()]).toEqual([
        { done: false, value: { id: 1, kind: 'x', payload: { é: 1 } } },
        { done: false, value: { id: 2, kind: 'result', payload: { result: 3 } } },
        { done: true, value: 3 },
      ]);
    }
  }
});
