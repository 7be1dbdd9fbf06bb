import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { composeHint } from './compose-hint.ts';
import { readSettings } from './settings.ts';
import { repository } from './setup/folders.mjs';
import { temporalVersion } from './setup/temporal-binary.mjs';
import { devServer, devServerArguments, devServerNamespace, devServerSearchAttributes } from './temporal.ts';

test('the compose file is read as it is, but on loopback, on our ports and with our file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-temporal-'));
  try {
    const databaseFile = join(dir, 'state', 'temporal.db');
    const { args } = devServer({ binary: 'temporal', port: 1, uiPort: 2, databaseFile });
    expect(args).toEqual(expect.arrayContaining(['--ip=127.0.0.1', '--port=1', '--ui-port=2', `--db-filename=${databaseFile}`]));
    for (const flag of ['--ip', '--port', '--ui-port', '--db-filename']) expect(args.filter((argument) => argument.startsWith(`${flag}=`))).toHaveLength(1);
    const kept = devServerArguments().filter((argument) => /pragma|dynamic-config|search-attribute|namespace/.test(argument));
    expect(kept.length).toBeGreaterThan(9);
    expect(args).toEqual(expect.arrayContaining(kept));
    expect(devServer({ binary: 'temporal', port: 1, databaseFile }).args).toContain('--headless');
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('what others need to know of it', () => {
  expect(devServerArguments()).toContain('--ip=0.0.0.0'); // in a container
  expect(devServerNamespace()).toBe('svc');
  expect(devServerSearchAttributes()).toEqual(['SvcKind', 'SvcAgent', 'SvcOwner', 'SvcJob']);
  expect(temporalVersion()).toMatch(/^\d+\.\d+\.\d+$/);
});

test('the compose file says how `npm run up` uses the server that it starts', () => {
  const text = readFileSync(join(repository, 'temporal-dev.yml'), 'utf8');
  const [published = ''] = z.object({ services: z.object({ temporal: z.object({ ports: z.array(z.string()) }) }) }).parse(parse(text)).services.temporal.ports;
  expect(text).toContain(`export TEMPORAL_ADDRESS=${published.split(':').slice(0, 2).join(':')} `);
});

test('a server that listens where the file has it is named before a first one of our own is made', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-temporal-'));
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  try {
    const settings = (env: Record<string, string> = {}) => readSettings({ SVC_STATE_DIR: stateDir, ...env });
    expect(await composeHint(settings(), port)).toContain(`TEMPORAL_ADDRESS=127.0.0.1:${port} npm run up`);
    expect(await composeHint(settings({ TEMPORAL_ADDRESS: `127.0.0.1:${port}` }), port)).toBeUndefined();
    expect(await composeHint(settings({ SVC_PARTS: 'postgres,api' }), port)).toBeUndefined();
    mkdirSync(join(stateDir, 'temporal'));
    writeFileSync(join(stateDir, 'temporal', 'temporal.db'), '');
    expect(await composeHint(settings(), port)).toBeUndefined();
  } finally {
    server.close();
    rmSync(stateDir, { recursive: true });
  }
});
