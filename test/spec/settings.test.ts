// deploy/settings.md lists every environment variable that the platform reads, its default and its readers;
// npm run up passes each on.
// reads: deploy/settings.md
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { z } from 'zod';
import { Environment as api } from '#api/environment.ts';
import { Environment as host } from '#host/environment.ts';
import { Environment as imports } from '#imports/environment.ts';
import { partEnvironment } from '#stack/environment.ts';
import { lastAddresses } from '#stack/parts/all.ts';
import { Environment as up, readSettings } from '#stack/settings.ts';
import { Environment as worker } from '#worker/environment.ts';

const root = join(import.meta.dirname, '../..');
const schemas = { api, worker, host, imports } satisfies Record<string, z.ZodObject>;
const shapes = Object.entries(schemas).map(([part, { shape }]) => ({ part, shape: new Map<string, z.ZodType>(Object.entries(shape)) }));

interface Row {
  name: string;
  /** Between backticks, or undefined for prose. */
  literal: string | undefined;
  parts: string[];
}

async function rowsOf(heading: string): Promise<Row[]> {
  const page = await readFile(join(root, 'deploy/settings.md'), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? '';
  return section.split('\n').flatMap((line) => {
    const [, names = '', value = '', parts = ''] = line.split('|').map((cell) => cell.trim());
    const literal = /^`([^`<]*)`$/.exec(value)?.[1];
    return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => ({ name, literal, parts: parts.split(', ') }));
  });
}

const own = await rowsOf('Set by the operator');
const composed = await rowsOf('Set by `npm run up`');

/** Read without a schema: by name, or by a name of this list. */
const unlisted: Record<string, string[]> = {
  'host/sandbox/oci.ts': ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'SSL_CERT_FILE'],
  'host/microvm/images/tools.ts': ['PATH'],
};
/** Of every process, not of this platform. */
const usual = ['PATH', 'HOME'];

async function sources(...folders: string[]): Promise<{ file: string; text: string }[]> {
  const files = (await Promise.all(folders.map((folder) => Array.fromAsync(glob(`${folder}/**/*.{ts,mjs}`, { cwd: root }))))).flat();
  const kept = files.filter((file) => !/\.test\.ts$|\.d\.mts$|\/guest\/|\/test\/|\/templates\/|\/demo\/|^core\/studio\/recipe\/[^/]+\/project\//.test(file));
  return Promise.all(kept.map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })));
}

const namesIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:env|inherited)(?:\.|\[')([A-Z][A-Z0-9_]*|[a-z]+_proxy)\b/g)].map(([, name = '']) => name).filter((name) => !usual.includes(name));

test('each variable that a part reads has its row, with that part; no row is of a variable that no part reads', async () => {
  const stack = (await sources('stack')).flatMap(({ text }) => namesIn(text));
  const readers = [
    ...shapes.flatMap(({ part, shape }) => [...shape.keys()].map((name) => `${name} ${part}`)),
    ...[...stack, ...Object.keys(up.shape)].map((name) => `${name} up`),
    ...Object.values(unlisted).flatMap((names) => names.filter((name) => !usual.includes(name)).map((name) => `${name} host`)),
  ];
  const documented = [...own, ...composed].flatMap(({ name, parts }) => parts.map((part) => `${name} ${part}`));
  expect([...documented].sort()).toEqual([...new Set(readers)].sort());
});

test('parts read their environment in environment.ts, where the page is compared with it', async () => {
  const found = await sources('api', 'worker', 'core', 'drivers', 'host', 'activities', 'workflows', 'contract');
  expect(found.length).toBeGreaterThan(500);
  const readers = found.filter(({ file, text }) => /process\.env\b/.test(text) && !(file in unlisted)).map(({ file }) => file);
  expect(readers.sort()).toEqual(['api/main.ts', 'host/main.ts', 'worker/main.ts']);
  for (const { file, text } of found) if (readers.includes(file)) expect(text.match(/process\.env\b[^\n]*/g), file).toEqual(['process.env);']);
});

test('each default on the page is the default of the code', () => {
  for (const { name, literal } of own)
    for (const { part, shape } of shapes) {
      const schema = shape.get(name);
      const absent = schema?.safeParse(undefined);
      if (!schema || !absent?.success || absent.data === undefined) continue;
      expect(literal, `${name} of ${part} has a default`).toBeDefined();
      expect(schema.parse(literal), `${name} of ${part}`).toEqual(absent.data);
    }
});

test('npm run up passes each setting of the operator on', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-settings-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const valid: Record<string, string> = {
    SVC_PORT: '8081',
    SVC_BASE_URL: 'https://svc.example.com',
    DATABASE_URL: 'postgres://db.example.com/svc',
    TEMPORAL_ADDRESS: 'temporal.example.com:7233',
    OIDC_ISSUER: 'https://login.example.com',
    SVC_STATE_DIR: folder,
    SVC_CACHE_DIR: folder,
  };
  const given = Object.fromEntries(
    own.filter(({ parts }) => parts.some((part) => part !== 'up')).map(({ name }) => [name, valid[name] ?? `the value of ${name}`]),
  );
  const settings = readSettings(given);
  expect(partEnvironment(settings, lastAddresses(settings))).toMatchObject(given);
});
