// Every sentence of the second document is cited by a test that is there, or listed with the reason why none is.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENT_RUNTIME, UNPROVEN } from './agent-runtime.ts';

const root = join(import.meta.dirname, '../..');
/** A line that begins a test: `test('…`, `])('…`, `verifies('group.route', '…`, or one of Python's; or a title on a line of its own. */
const TITLE = /\(['"`]|^\s*['"`]|def test_/;

describe('the sentences of the agent runtime and its SDK', () => {
  test.each(Object.entries(AGENT_RUNTIME))('%s', (_, { proof }) => {
    expect(proof.length).toBeGreaterThan(0);
    for (const [file, title] of proof) {
      const titles = readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter((line) => TITLE.test(line));
      expect(
        titles.some((line) => line.includes(title)),
        `${file} has no test "${title}" any more: name the one that proves it now`,
      ).toBe(true);
    }
  });

  test('what has no proof at work has a reason', () => {
    for (const reason of Object.values(UNPROVEN)) expect(reason.length).toBeGreaterThan(20);
    const lines = Object.entries(UNPROVEN).map(([id, reason]) => `${id}: ${reason}`);
    process.stdout.write(`${Object.keys(AGENT_RUNTIME).length} sentences; by declaration only: ${lines.join('; ')}\n`);
  });
});
