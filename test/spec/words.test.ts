// The words of docs/glossary.md in names, sentences and comments of what we ship: a name says the thing, not
// what was done to it.
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const MAX_COMMENT = 110;

const NOT_OURS = /(^|\/)(node_modules|dist|templates|histories)\/|^\.|\.svc\//;
const IS_TEST = /\.test\.tsx?$|^test\/|\/test\/|\/project\//;
const GENERATED = /^db\/(tables|keys)\.ts$|^db\/migrations\//;

/** Parts of names, and what to say in their place. */
const NAMES: Readonly<Record<string, string>> = {
  '[tT]old': 'the message, or delivered',
  '[sS]aid': 'the reply, the output',
  '(?<![mM])[aA]sked': 'the request, the question',
  '(?<!not|Not)[fF]ound(?!ation)': 'what was looked up: the row, the branch',
  '[kK]ept': 'what is stored, or for how long',
  '(?<!with|With|up)[hH]eld': 'the lock, the lease, the open one',
  '(?<!Session)[sS]eal': 'signed or encrypted',
  'settle(?:Held)?Wait': 'close: only money is settled',
  'inTurn|takeTurn': 'queued, dequeue',
};
/** Phrases, and the standard ones. */
const PHRASES: Readonly<Record<string, string>> = {
  'is not there': 'does not exist',
  'held against': 'checked against',
  'of before': 'previous',
  'by itself': 'automatically',
  'no more(?! than)': 'no longer',
  '(?<!stand-)alone': 'only',
};
/** Where the same letters mean something else. */
const EXCEPT: Readonly<Record<string, string>> = {
  'contract/wire/merkle.ts': 'a variable is called before',
  'core/orgs/scim/group/members.ts': 'a variable is called before',
  'core/studio/protocol-simulation/advance.ts': 'recorded histories hold the lane',
  'core/studio/protocol-simulation/steps/index.ts': 'recorded histories hold the lane',
  'workflows/rehearse.ts': 'recorded histories hold the lane',
  'core/studio/review-loop/attack/payloads.ts': 'text of an attack',
  'examples/task-fixture/agent.ts': 'text of a conformance suite',
};

let sources: { path: string; lines: string[] }[];
beforeAll(async () => {
  const paths: string[] = [];
  for await (const path of glob('**/*.{ts,tsx,mjs,js}', { cwd: root, exclude: (path) => NOT_OURS.test(`${path}/`) }))
    if (!NOT_OURS.test(path)) paths.push(path);
  sources = await Promise.all(paths.toSorted().map(async (path) => ({ path, lines: (await readFile(join(root, path), 'utf8')).split('\n') })));
  expect(sources.length).toBeGreaterThan(3000);
});

const shipped = () => sources.filter(({ path }) => !IS_TEST.test(path) && !GENERATED.test(path) && /\.tsx?$/.test(path));

function hits(rules: Readonly<Record<string, string>>, around: (word: string) => RegExp): string[] {
  return Object.entries(rules).flatMap(([word, instead]) => {
    const pattern = around(word);
    return shipped().flatMap(({ path, lines }) =>
      lines.flatMap((line, at) => {
        const hit = path in EXCEPT ? undefined : pattern.exec(line)?.[0];
        return hit === undefined ? [] : [`${path}:${at + 1}: "${hit}": say ${instead}`];
      }),
    );
  });
}

test('names say the thing', () => {
  expect(hits(NAMES, (word) => new RegExp(`\\b(?:const|let|function|type|interface|class)\\s+\\w*(?:${word})\\w*`))).toEqual([]);
});

test('sentences use the standard phrases', () => {
  expect(hits(PHRASES, (word) => new RegExp(`\\b${word}\\b`))).toEqual([]);
});

test(`comments are at most ${MAX_COMMENT} characters wide`, () => {
  const long = sources.flatMap(({ path, lines }) => {
    if (GENERATED.test(path)) return [];
    return lines.flatMap((line, at) =>
      line.length > MAX_COMMENT && /^\s*(?:\/\/|\*|\/\*\*)/.test(line) && !/oxlint-disable|https?:\/\//.test(line) ? [`${path}:${at + 1}`] : [],
    );
  });
  expect(long).toEqual([]);
});

test('no file is longer than a reader holds in mind', () => {
  const MOST = 400;
  const long = shipped().filter(({ lines }) => lines.filter((line) => line.trim() !== '').length > MOST);
  expect(long.map(({ path }) => path).filter((path) => path !== 'contract/client-routes.ts')).toEqual([]);
});
