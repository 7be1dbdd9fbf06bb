import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { problemsIn } from './messages.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-messages-'));
  await writeFile(join(folder, 'agent.ts'), 'today = skill(\n{ output },\nasync () => ({}));\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('what a compiler says of a result names the output, and the reason at the bottom', async () => {
  const said = [
    "agent.ts(3,13): error TS2322: Type 'Promise<{}>' is not assignable to type 'Promise<{ degrees: number; }>'.",
    "  Property 'degrees' is missing in type '{}' but required in type '{ degrees: number; }'.",
  ];
  const message = "Property 'degrees' is missing in type '{}' but required in type '{ degrees: number; }'. The handler must return what its output says";
  expect(await problemsIn(said, folder)).toEqual([{ file: join(folder, 'agent.ts'), line: 3, column: 13, message }]);
});

test('a package that is not installed voids what is said of its file; a module of Node without types only what follows', async () => {
  const said = [
    "lib/chart.ts(1,22): error TS2307: Cannot find module 'papaparse' or its corresponding type declarations.",
    "lib/chart.ts(9,3): error TS18046: 'row' is of type 'unknown'.",
    "agent.ts(1,22): error TS2307: Cannot find module 'node:fs' or its corresponding type declarations.",
    "agent.ts(2,5): error TS7006: Parameter 'name' implicitly has an 'any' type.",
    "agent.ts(3,1): error TS2551: Property 'trimm' does not exist on type 'string'. Did you mean 'trim'?",
    "agent.ts(4,7): error TS6133: 'unused' is declared but its value is never read.",
    "node_modules/other/index.ts(1,1): error TS2304: Cannot find name 'Gone'.",
  ];
  expect((await problemsIn(said, folder))?.map(({ line }) => line)).toEqual([3]);
});

test('a compiler that could not check is no problem of the project', async () => {
  expect(await problemsIn(['Killed'], folder)).toBeUndefined();
});
