// The contract runs in a browser: all of it bundles without Node, and a receipt is verified with what
// browsers have.
// reads: contract/
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { contract } from './index.ts';
import { tableOf, tableSource } from './route-table.ts';

const HERE = import.meta.dirname;
const MAX_CLIENT_BYTES = 15 * 1024;

async function bundle(code: string, minify = false): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: HERE, loader: 'ts' },
    bundle: true,
    minify,
    platform: 'browser',
    format: 'iife',
    globalName: 'exported',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** The bundle's exports, run where there is nothing of Node. */
async function inBrowser(code: string): Promise<Record<string, unknown>> {
  const web = { atob, btoa, crypto, fetch, Response, TextDecoder, TextEncoder, URL, URLSearchParams };
  const context = createContext(web);
  runInContext(await bundle(code), context);
  return runInContext('exported', context);
}

const files = globSync('**/*.ts', { cwd: HERE, exclude: ['**/*.test.ts', 'crypto/**'] });

test('every file but those of crypto/ runs without Node', async () => {
  expect(files.length).toBeGreaterThan(50);
  const exported = await inBrowser(files.map((file, at) => `export * as file${at} from './${file}';`).join('\n'));
  expect(Object.keys(exported)).toHaveLength(files.length);
  await expect(inBrowser("export * from './crypto/grant-token.ts';")).rejects.toThrow('node:crypto');
});

test("the golden receipt is verified with the browser's own Ed25519, a changed one is not", async () => {
  const golden = JSON.parse(readFileSync(join(HERE, '../sdk/golden/receipt.json'), 'utf8'));
  const { check } = await inBrowser(`
    import { canonicalDigest } from './wire/sha256.ts';
    import { verifyReceipt } from './wire/receipt.ts';
    const verify = async (signature, message, key) =>
      crypto.subtle.verify('Ed25519', await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify']), signature, message);
    export const check = async (token, key) => {
      const payload = await verifyReceipt(token, Uint8Array.from(atob(key), (char) => char.charCodeAt(0)), verify);
      return JSON.stringify({ payload, sha256: await canonicalDigest(payload) });
    };`);
  const verified = async (token: string): Promise<unknown> => (typeof check === 'function' ? JSON.parse(await check(token, golden.public_key)) : undefined);
  expect(await verified(golden.token)).toEqual({ payload: golden.payload, sha256: golden.payload_sha256 });
  const [payload = '', signature = ''] = golden.token.split('.');
  await expect(verified(`${payload}.${'A'.repeat(signature.length - 1)}${signature.at(-1)}`)).rejects.toThrow('the signature does not match');
});

test('the client is small, holds no schemas, and calls the API from a browser', async () => {
  expect(readFileSync(join(HERE, 'client-routes.ts'), 'utf8'), 'run: npm run contract').toBe(
    tableSource(tableOf(contract), { from: 'contract/index.ts', name: 'CLIENT_ROUTES' }),
  );
  const client = "export { createClient, ApiError } from './client.ts';";
  const text = await bundle(client, true);
  expect(text).not.toContain('_zod');
  expect(gzipSync(text).length).toBeLessThanOrEqual(MAX_CLIENT_BYTES);

  const server = createServer((req, res) => {
    res
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ method: req.method, url: req.url, authorization: req.headers.authorization }));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = addressOf(server.address());
  const { call } = await inBrowser(`
    import { createClient } from './client.ts';
    export const call = (baseUrl) => createClient({ baseUrl, token: 'tok' }).agents.get({ params: { name: 'text-kit' } });`);
  const seen: unknown = typeof call === 'function' ? await call(`http://127.0.0.1:${port}`) : undefined;
  expect(seen).toMatchObject({ method: 'GET', url: '/v1/agents/text-kit', authorization: 'Bearer tok' });
});

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address;
}
