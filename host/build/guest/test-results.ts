// Reads the reports of the test runner from our reporter, one JSON object a line, and sums them up.
import { relative } from 'node:path';
import { parseJson } from '#drivers/runtime/lines.ts';
import { isObject } from './project.ts';

/** A reporter of node:test: a module that the runner loads by its path. */
export const reporterSource = `const kinds = { 'test:dequeue': 'begun', 'test:complete': 'ended', 'test:pass': 'passed', 'test:fail': 'failed', 'test:stdout': 'said', 'test:stderr': 'said' };
export default async function* (events) {
  for await (const { type, data } of events) {
    const kind = kinds[type];
    if (kind === undefined) continue;
    const error = data.details?.error;
    const cause = error?.cause ?? error;
    yield JSON.stringify({
      kind,
      name: String(data.name ?? '').slice(0, 300),
      file: data.entryFile ?? data.file ?? '',
      line: data.line ?? 0,
      suite: data.details?.type === 'suite',
      left: data.skip !== undefined || data.todo !== undefined,
      below: error?.failureType === 'subtestsFailed',
      text: String(data.message ?? cause?.message ?? cause ?? '').slice(-8000),
      stack: String(cause?.stack ?? '').slice(0, 8000),
    }) + '\\n';
  }
}
`;

export interface TestResults {
  passed: number;
  failed: number;
  /** The first of those that failed: name, place and message. */
  failures: readonly string[];
  /** Begun and not ended. */
  running: readonly string[];
  /** The end of what the tests printed. */
  output: string;
}

const maxFailures = 50;
const maxRunning = 1_000;
const maxOutput = 8_000;

export function testResults(root: string): { take(line: string): void; results(): TestResults } {
  let [passed, failed, output] = [0, 0, ''];
  const failures: string[] = [];
  const running = new Map<string, string>();
  const outputByFile = new Map<string, string>();
  return {
    take(line) {
      const report = parseJson(line);
      if (!isObject(report)) return;
      const { kind, suite, left, below } = report;
      const [name, text] = [wordOf(report['name']), wordOf(report['text'])];
      const file = relative(root, wordOf(report['file']));
      const id = JSON.stringify([file, report['line'], name]);
      const place = `${file}:${Number(report['line'])}`;
      const whole = name === file;
      switch (kind) {
        case 'said':
          output = (output + text).slice(-maxOutput);
          outputByFile.set(file, ((outputByFile.get(file) ?? '') + text).slice(-maxOutput));
          break;
        case 'begun':
          if (running.size < maxRunning) running.set(id, whole ? file : `${place} "${name}"`);
          break;
        case 'ended':
          running.delete(id);
          break;
        case 'passed':
          if (suite !== true && left !== true && !whole) passed += 1;
          break;
        case 'failed':
          if (suite === true || left === true || below === true) break;
          failed += 1;
          if (failures.length === maxFailures) break;
          if (whole) failures.push(`${file} could not be run: ${reasonIn(outputByFile.get(file) ?? '', root)}`);
          else failures.push([`${place} "${name}": ${text.trim()}`, ...framesIn(wordOf(report['stack']), root)].join('\n'));
          break;
      }
    },
    results: () => ({ passed, failed, failures, running: [...running.values()], output: inProject(output, root) }),
  };
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const inProject = (text: string, root: string): string => text.replaceAll(`file://${root}/`, '').replaceAll(`${root}/`, '');

/** Where in the project it was thrown. */
function framesIn(stack: string, root: string): string[] {
  const mine = stack.split('\n').filter((line) => /^\s+at /.test(line) && line.includes(`${root}/`) && !line.includes('/node_modules/'));
  return mine.slice(0, 3).map((line) => `  ${inProject(line.trim(), root)}`);
}

/** The lines that lead to the first error, as Node prints one that ends it. */
function reasonIn(text: string, root: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s+at |^\s*\^+\s*$|^node:internal|^\s*throw /.test(line));
  const at = lines.findIndex((line) => /^(?:Uncaught )?[A-Z]\w*(?:Error|Exception)\b|^Error\b/.test(line));
  return inProject((at < 0 ? lines.slice(-5) : lines.slice(Math.max(0, at - 3), at + 1)).join('\n'), root) || 'it ended without saying why';
}
