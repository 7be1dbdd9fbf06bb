// A bundle of an installation whose logs and settings hold secrets: none of them is in it.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ensureSecrets } from '../secrets.ts';
import { readSettings } from '../settings.ts';
import { supportBundle } from './bundle.ts';

let state: string;
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'svc-bundle-'));
  ensureSecrets(join(state, 'secrets'));
  await mkdir(join(state, 'logs'));
});
afterAll(() => rm(state, { recursive: true, force: true }));

test('it has the logs, the settings and what is wrong, and no secret in any form', async () => {
  const key = readFileSync(join(state, 'secrets/platform.key'), 'utf8').trim();
  const secrets = [
    key,
    'p4ssw0rd-of-db',
    'sk_live_0123456789abcdef01',
    'AKIAABCDEFGHIJKLMNOP',
    'relay-pass-77',
    'otlp-key-9182',
    'eyJhbGciOiJF.eyJzdWIiOiIx.c2lnbmF0dXJl',
  ];
  const [, db, stripe, aws, relay, otlp, jwt] = secrets;
  await writeFile(
    join(state, 'logs/api.log'),
    `{"msg":"ready"}\nconnect postgres://svc:${db}@127.0.0.1:1/svc\nauthorization: Bearer ${jwt}\nkey ${key} and ${aws} and ${stripe}\nsmtp://me:${relay}@mail\n`,
  );
  const settings = readSettings({
    PATH: process.env['PATH'],
    SVC_STATE_DIR: state,
    SVC_PORT: '18999',
    DATABASE_URL: `postgres://svc:${db}@127.0.0.1:1/svc`,
    STRIPE_SECRET_KEY: stripe,
    S3_ACCESS_KEY_ID: aws,
    SVC_MAIL_RELAY: `smtp://me:${relay}@mail.test:25`,
    SVC_TRACES_HEADERS: `x-key=${otlp}`,
  });
  const lines: string[] = [];
  const where = vi.spyOn(process, 'cwd').mockReturnValue(state);
  expect(await supportBundle(settings, (line) => lines.push(line))).toBe(0);
  where.mockRestore();
  const [file] = readdirSync(state).filter((name) => name.endsWith('.tar.gz'));
  const text = gunzipSync(readFileSync(join(state, file ?? ''))).toString('latin1');
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).toContain('{"msg":"ready"}');
  expect(text).toContain('SVC_MAIL_RELAY=smtp://me:[redacted]@mail.test:25');
  expect(text).toContain('STRIPE_SECRET_KEY=(set)');
  expect(text).toContain('cannot be used: connect ECONNREFUSED');
  expect(lines[0]).toMatch(/^Wrote .*svc-support-.*\.tar\.gz: about.json, doctor.json, status.json, settings.txt, api.log\.$/);
});
