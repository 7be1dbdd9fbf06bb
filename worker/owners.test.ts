// Each type of workflow has an owner, which says what becomes of its work when it is lost: no type is started
// without one.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as workflows from '#workflows/index.ts';
import { owners } from './housekeeping.ts';

const root = join(import.meta.dirname, '..');

test('every type that the worker knows has an owner, and every owner a type', () => {
  expect(Object.keys(owners).toSorted()).toEqual(Object.keys(workflows).toSorted());
});

/**
 * What is started names its type beside its id or its input, and what the calendar starts beside its search
 * attributes.
 */
const STARTED = /type: '(\w+)',\s*(?:workflowId|searchAttributes|input)/g;

// reads: core/
test('every type that code starts has an owner', async () => {
  const started = new Set<string>();
  for (const file of await readdir(join(root, 'core'), { recursive: true })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    for (const [, type = ''] of (await readFile(join(root, 'core', file), 'utf8')).matchAll(STARTED)) started.add(type);
  }
  expect([...started].filter((type) => !Object.hasOwn(owners, type))).toEqual([]);
  expect(started.size).toBe(Object.keys(workflows).length);
});

// reads: core/
test("nothing starts a workflow but the outbox and the engine's calendar", async () => {
  const others: string[] = [];
  for (const folder of ['api', 'core', 'activities', 'worker', 'drivers'])
    for (const file of await readdir(join(root, folder), { recursive: true })) {
      if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
      if (/workflows?\.start\(|\.workflow\.start\(/.test(await readFile(join(root, folder, file), 'utf8'))) others.push(join(folder, file));
    }
  expect(others.toSorted()).toEqual(['core/outbox/dispatch.ts', 'drivers/workflows/temporal.ts']);
});
