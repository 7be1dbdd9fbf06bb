// What is wrong with the installation, only for operators. How each fault is named: stack/doctor.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { DoctorOut } from '#contract/platform/doctor.ts';
import { createWorld, type Who, type World } from '#test/api/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ serving: true });
});
afterAll(() => world.close());

const ask = (who: Who) => createClient({ baseUrl: world.url, token: world.tokens[who] }).doctor.get();

test('an operator reads what is well and what is not: here the engine does not answer', async () => {
  const report = await ask('operator');
  expect(DoctorOut.parse(report)).toEqual(report);
  const statesOf = (part: string) => report.findings.filter((one) => one.part === part).map(({ state }) => state);
  expect(statesOf('database')).toEqual(['ok', 'ok']);
  expect(statesOf('storage')).toEqual(['ok']);
  expect(report.findings.find(({ part }) => part === 'engine')?.text).toMatch(/^Temporal does not answer/);
  expect(report.problems).toBe(report.findings.filter(({ state }) => state === 'problem').length);
});

test('others are refused', async () => {
  for (const who of ['ada', 'ben'] as const) await expect(ask(who)).rejects.toMatchObject({ status: 403 });
});
