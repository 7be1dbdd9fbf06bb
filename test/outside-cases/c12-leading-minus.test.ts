// C12. Values that begin with a minus, at the command line.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '#cli/lib/exit-codes.ts';
import { makeTool, type Tool } from '#cli/test/tool.ts';

const [QUESTION, REQUEST] = [`qst_${randomUUID()}`, `scr_${randomUUID()}`];
const sent: string[] = [];
const api = createServer((request, response) => {
  void text(request).then((body) => {
    sent.push(`${request.method} ${request.url} ${body}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"state":"answered"}');
  });
});
let tool: Tool;
beforeAll(async () => {
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  tool = await makeTool(`http://127.0.0.1:${(api.address() as AddressInfo).port}`, '/nowhere');
});
afterAll(async () => {
  await tool.remove();
  await new Promise((resolve) => api.close(resolve));
});
const svc = (...argv: string[]) => tool.run(argv, { env: { SVC_TOKEN: 'a-token' } });

test.each([
  [['answer', 'qst_1', '-x'], 'There is no option -x here. A value that begins with - stands after --.'],
  [['call', 'greeter', 'greet', '-x=1'], 'There is no option -x here. A value that begins with - stands after --.'],
  [['answer', 'scr_1', '--deny', '--reason', '-nothing'], '--reason needs a value. One that begins with - is written --reason=VALUE.'],
])('%j: the error says how it is written', async (argv, words) => {
  const { code, err } = await svc(...argv);
  expect([code, err.split('\n')[0]]).toEqual([EXIT.usage, words]);
  expect(sent).toEqual([]);
});

test('written so, it is the value; a number needs nothing', async () => {
  expect(await svc('answer', QUESTION, '--', '-x')).toMatchObject({ code: EXIT.ok });
  expect(await svc('answer', QUESTION, '-1')).toMatchObject({ code: EXIT.ok });
  expect(await svc('answer', REQUEST, '--deny', '--reason=-nothing')).toMatchObject({ code: EXIT.ok });
  expect(sent).toEqual([
    `POST /v1/me/chat/questions/${QUESTION} {"answer":"-x"}`,
    `POST /v1/me/chat/questions/${QUESTION} {"answer":"-1"}`,
    `POST /v1/me/chat/scope-approvals/${REQUEST} {"decision":"deny","reason":"-nothing"}`,
  ]);
});
