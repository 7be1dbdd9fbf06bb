// An agent that does to its guest what a hostile or broken one would, for the tests of the host.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import https from 'node:https';
import { connect } from 'node:net';
import { Agent, skill, z } from '@svc/sdk';

const empty = z.object({});
const said = z.string();
let counter = 0;

export class Prober extends Agent {
  override name = 'prober';
  override description = 'Tries the walls of its guest.';
  override version = '0.1.0';

  count = skill({ description: 'Counts its calls.', input: empty, output: z.number() }, async () => (counter += 1));
  id = skill({ description: 'A random id.', input: empty, output: said }, async () => randomUUID());
  say = skill({ description: 'Prints.', input: z.object({ text: said }), output: said }, async (_ctx, { text }) => {
    console.log(text);
    console.error(`err:${text}`);
    return text;
  });
  wait = skill({ description: 'Takes its time.', input: z.object({ ms: z.number() }), output: said }, async (_ctx, { ms }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return 'waited';
  });
  work = skill({ description: 'Works, and says when it is done.', input: z.object({ ms: z.number() }), output: said, stream: true }, async (_ctx, { ms }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    console.log('worked to the end');
    return 'worked';
  });
  ask = skill({ description: 'Asks, in the middle of it.', input: empty, output: z.record(z.string(), z.unknown()) }, async (ctx) => {
    const file = openSync('/tmp/notes', 'w+');
    writeSync(file, 'before; ');
    let steps = 1;
    const squares = (function* () {
      for (let n = 1; ; n++) yield n * n;
    })();
    const first = [squares.next().value, squares.next().value];
    const answer = await ctx.ask('Go on?', 86_400);
    writeSync(file, 'after');
    steps += 1;
    closeSync(file);
    return { answer, steps, notes: readFileSync('/tmp/notes', 'utf8'), squares: [...first, squares.next().value] };
  });
  reveal = skill({ description: 'What it knows.', input: empty, output: z.record(z.string(), z.unknown()) }, async (ctx) => ({
    secret: ctx.secret('TOKEN'),
    env: process.env['GREETING'] ?? null,
    leaked: Object.values(process.env).includes(ctx.secret('TOKEN')),
    uid: process.getuid?.() ?? null,
    cwd: process.cwd(),
  }));
  fetch = skill({ description: 'Fetches.', input: z.object({ url: said }), output: z.object({ status: z.number(), text: said }) }, async (_ctx, { url }) => {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) });
      return { status: answer.status, text: (await answer.text()).slice(0, 500) };
    } catch (error) {
      return { status: 0, text: String(error instanceof Error ? (error.cause ?? error) : error) };
    }
  });
  get = skill({ description: 'Fetches by node:https.', input: z.object({ url: said }), output: said }, async (_ctx, { url }) =>
    new Promise((resolve) => {
      https.get(url, (answer) => void answer.on('data', (chunk) => resolve(String(chunk)))).on('error', (error) => resolve(error.message));
    }),
  );
  dial = skill({ description: 'Connects past the proxy.', input: z.object({ host: said, port: z.number() }), output: said }, async (_ctx, { host, port }) =>
    new Promise((resolve) => {
      const socket = connect({ host, port, timeout: 3_000 });
      const end = (word: string) => () => {
        socket.destroy();
        resolve(word);
      };
      socket.once('connect', end('connected')).once('timeout', end('timeout'));
      socket.once('error', (error) => resolve('code' in error ? String(error.code) : 'error'));
    }),
  );
  tunnel = skill(
    { description: 'Speaks raw bytes through a tunnel of the proxy.', input: z.object({ to: said, request: said }), output: said },
    async (_ctx, { to, request }) =>
      new Promise((resolve) => {
        const { hostname, port } = new URL(process.env['HTTP_PROXY'] ?? '');
        let got = '';
        const socket = connect({ host: hostname, port: Number(port), timeout: 5_000 }, () =>
          socket.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n${request}`),
        );
        socket.on('data', (chunk) => (got += String(chunk)));
        socket.on('timeout', () => socket.destroy()).on('error', () => undefined);
        socket.on('close', () => resolve(got));
      }),
  );
  fillDisk = skill({ description: 'Writes until it cannot.', input: empty, output: said }, async () => {
    const file = openSync('/tmp/full', 'w');
    try {
      for (;;) writeSync(file, Buffer.alloc(1_048_576));
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : 'error';
    } finally {
      closeSync(file);
    }
  });
  hogMemory = skill({ description: 'Takes all memory.', input: empty, output: z.number() }, async () => {
    const kept: Buffer[] = [];
    for (;;) kept.push(Buffer.alloc(16 * 1_048_576, 1));
  });
  forkBomb = skill({ description: 'Multiplies.', input: empty, output: said }, async () => {
    spawn('/bin/sh', ['-c', 'f() { f | f & }; f'], { detached: true, stdio: 'ignore' });
    return 'lit';
  });
  die = skill({ description: 'Ends its process.', input: empty, output: said }, async () => {
    process.stderr.write('my last words\n');
    setTimeout(() => process.exit(3), 50);
    return 'dying';
  });
  fail = skill({ description: 'Throws.', input: empty, output: said }, async () => {
    throw new Error('broken on purpose');
  });
  ticks = skill({ description: 'Streams numbers.', input: z.object({ count: z.number(), ms: z.number() }), output: z.number(), stream: true }, async (ctx, { count, ms }) => {
    for (let n = 0; n < count; n++) {
      await ctx.emitProgress(`tick ${n}`);
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
    return count;
  });
}
