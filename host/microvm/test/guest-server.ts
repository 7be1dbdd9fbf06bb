// A Node server for tests and the bench, run in a guest: answers on the service 'http' and draws random
// values on demand.
import { stripTypeScriptTypes } from 'node:module';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { z } from 'zod';
import type { Machine } from '../port.ts';

const reseed = new URL('../guest/reseed.ts', import.meta.url);

const server = `
import { createServer } from 'node:http';
import { generateKeySync, randomBytes as bytes, randomInt as integer, randomUUID as uuid } from 'node:crypto';
let nonce = '', count = 0;
const draw = () => ({ bytes: bytes(16).toString('hex'), uuid: uuid(), integer: integer(2 ** 47), key: generateKeySync('aes', { length: 256 }).export().toString('hex'), nonce });
draw(); // fills every cache before a snapshot
await followClones(value => { nonce = value; });
createServer((req, res) => {
  if (req.url === '/draw') return res.end(JSON.stringify(draw()));
  if (req.url === '/stream') {
    let n = 0;
    const timer = setInterval(() => { res.write('tick ' + n++ + '\\n'); if (n === 40) { clearInterval(timer); res.end('done\\n'); } }, 50);
    return;
  }
  if (req.url === '/echo') return req.pipe(res);
  res.setHeader('content-type', 'application/json');
  res.end(JSON.stringify({ count: count++, now: Date.now(), nonce }));
}).listen('/run/svc/http.sock', () => console.log('ready'));
`;

/** Starts it as the named program 'server' and resolves once it listens. */
export async function startServer(machine: Machine): Promise<void> {
  const library = stripTypeScriptTypes(await readFile(reseed, 'utf8'));
  await put(machine, '/tmp/server.mjs', `${library}\n${server}`);
  await new Promise<void>((resolve, reject) => {
    let words = '';
    const onOutput = (_: string, chunk: Uint8Array) => {
      words += Buffer.from(chunk).toString();
      if (words.includes('ready')) resolve();
    };
    machine.exec('node', ['/tmp/server.mjs'], { name: 'server', onOutput }).then(
      (code) => reject(new Error(`the server ended with ${code}: ${words}`)),
      (error: unknown) => reject(error),
    );
  });
}

async function put(machine: Machine, path: string, text: string): Promise<void> {
  const code = await machine.exec('/bin/sh', ['-c', `cat > ${path}`], {
    stdin: (async function* () {
      yield Buffer.from(text);
    })(),
  });
  if (code !== 0) throw new Error(`could not write ${path}: ${code}`);
}

/**
 * One HTTP request to the service 'http'; `firstByte` is milliseconds from the call to the first byte of the
 * body.
 */
export async function fetchGuest(machine: Machine, path: string, body?: string | Buffer): Promise<{ text: string; firstByte: number }> {
  const started = performance.now();
  const stream = await machine.connect('http');
  return new Promise((resolve, reject) => {
    const req = request(
      { path, method: body === undefined ? 'GET' : 'POST', createConnection: () => stream, headers: { host: 'guest', connection: 'close' } },
      (res) => {
        let text = '';
        let firstByte = 0;
        res.on('data', (chunk: Buffer) => {
          firstByte ||= performance.now() - started;
          text += chunk.toString();
        });
        res.on('end', () => resolve({ text, firstByte }));
        res.on('error', reject);
      },
    );
    req.on('error', reject);
    req.end(body);
  });
}

/**
 * By how many milliseconds the guest's clock is wrong. Its answer may take as long as it likes: it lies
 * between the question and the answer, or is wrong.
 */
export async function clockError(machine: Machine): Promise<number> {
  const before = Date.now();
  const { now } = z.object({ now: z.number() }).parse(JSON.parse((await fetchGuest(machine, '/')).text));
  return Math.max(0, before - now, now - Date.now());
}
