// One person's call keeps a TypeScript agent in a loop that has minutes left. The next call is answered, and
// who was asked before still finds the run that asked.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SDK = join(import.meta.dirname, '../../sdk/typescript');
const url = (file: string): string => pathToFileURL(join(SDK, file)).href;
const program = (listen: string): string => `
import { Agent, skill } from '${url('index.ts')}';
import { startAgent } from '${url('runtime/start.ts')}';
// A loop that costs no processor seconds.
const cell = new Int32Array(new SharedArrayBuffer(4));
const spin = () => { for (;;) Atomics.wait(cell, 0, 0, 20); };
class Looper extends Agent {
  name = 'looper'; description = 'For tests.'; version = '1.0.0';
  begins = skill({ timeoutSeconds: 300, stream: true }, async (ctx) => {
    await ctx.emitProgress('begins');
    spin();
  });
  loop = skill({ timeoutSeconds: 300 }, async () => spin());
  quick = skill({}, async () => 'quick');
  waits = skill({}, async (ctx) => await ctx.ask('Go on?', 600));
}
const { server } = await startAgent(Looper, { listen: ${listen}, onLog: () => {} });
console.log(JSON.stringify(server.address()));
`;

type Where = { socketPath: string } | { host: string; port: number };

/** The status and the body; `heard` gets the body while it comes. */
async function call(where: Where, path: string, body: object = {}, heard: (text: string) => void = () => {}): Promise<{ status: number; body: string }> {
  const headers = { 'content-type': 'application/json', accept: /\/(waits|begins)$/.test(path) ? 'text/event-stream' : 'application/json' };
  const sent = request({ ...where, path, method: 'POST', headers, agent: false }).end(JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]; // node:http's own event
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) heard((text += String(chunk)));
  return { status: answer.statusCode ?? 0, body: text };
}

describe.each(['a unix socket, as in a machine', 'a port'])('an agent behind %s', (kind) => {
  let folder: string;
  let child: ReturnType<typeof spawn>;
  let where: Where;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-looper-'));
    const path = join(folder, 'http.sock');
    const listen = kind === 'a port' ? `{ host: '127.0.0.1', port: 0 }` : JSON.stringify({ path });
    const flags = ['--disable-warning=ExperimentalWarning', '--no-force-async-hooks-checks', '--input-type=module-typescript'];
    child = spawn(process.execPath, [...flags, '--eval', program(listen)], { stdio: ['ignore', 'pipe', 'inherit'] });
    if (!child.stdout) throw new Error('no output');
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]; // node:readline's own event
    const address = JSON.parse(line) as string | { port: number }; // of server.address()
    where = typeof address === 'string' ? { socketPath: address } : { host: '127.0.0.1', port: address.port };
  });
  afterAll(async () => {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  it('a loop is ended when another call waits, and what waits for a person is kept', async () => {
    const asked = Promise.withResolvers<string>();
    const waiting = call(where, '/invoke/waits', {}, (text) => {
      const [, question] = /"question_id":"([^"]+)"/.exec(text) ?? [];
      if (question !== undefined) asked.resolve(question);
    });
    const question = await asked.promise;
    const quick = { status: 200, body: '"quick"' };
    // What comes with it is accepted and not read, what comes later is not even accepted.
    const [loop, next] = await Promise.all([call(where, '/invoke/loop'), call(where, '/invoke/quick')]);
    expect(next).toEqual(quick);
    expect(loop).toMatchObject({ status: 504, body: expect.stringContaining('while other calls waited') });
    const { promise: begins, resolve } = Promise.withResolvers<void>();
    const begun = call(where, '/invoke/begins', {}, (text) => {
      if (text.includes('begins')) resolve();
    });
    await begins;
    expect(await call(where, '/invoke/quick')).toEqual(quick);
    expect((await begun).body).toContain('while other calls waited');
    expect((await call(where, `/answers/${question}`, { answer: 'yes' })).body).toBe('{"resolved":true}');
    expect((await waiting).body).toContain('"result":"yes"');
  });
});
