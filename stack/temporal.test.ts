import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
