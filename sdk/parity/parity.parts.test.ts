// What one SDK offers and the other lacks stands in the table with its reason, or it is a fault.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Api, Member } from './api.ts';
import { compareApis, isDifference } from './compare.ts';
import { parityRows, parityTable, TABLE, unusedReasons, withoutReason } from './table.ts';

describe('both SDKs', () => {
  const rows = parityRows();

  it('offer the same, but for what is written down', () => {
    expect(withoutReason(rows).map(({ name }) => name)).toEqual([]);
    expect(unusedReasons(rows)).toEqual([]);
    // The reader has read: these are promised by the specification.
    const names = rows.filter((row) => !isDifference(row)).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['RunContext.ask', 'Sandbox.run_python', 'A2AClient.call', 'ControlPlaneDiscovery.find_agents', 'mint_grant']),
    );
    expect(names.length).toBeGreaterThan(200);
  });

  it('stand in the table as they are (node sdk/parity/table.ts)', () => expect(readFileSync(TABLE, 'utf8')).toBe(parityTable(rows)));
});

describe('a comparison', () => {
  const method = (parameters: string[], asynchronous = true): Member => ({ parameters, asynchronous });
  const api = (members: Record<string, Member>): Api => new Map([['Context', new Map(Object.entries(members))]]);
  const differences = (typescript: Api, python: Api): string[] => compareApis(typescript, python).filter(isDifference).map(({ name }) => name); // prettier-ignore

  it.each([
    ['a method', api({ ask: method([]) }), api({}), []],
    ['a method', api({ ask: method([]), call: method([]) }), api({ call: method([]) }), ['Context.ask']],
    ['an option', api({ ask: method(['prompt', 'schema']) }), api({ ask: method(['prompt']) }), ['Context.ask(schema)']],
    ['an await', api({ ask: method([], false) }), api({ ask: method([]) }), ['Context.ask']],
    ['nothing, with a name of its own', api({ ask: method(['timeout_seconds']) }), api({ ask: method(['timeout']) }), []],
    ['a whole type', new Map([['Extra', new Map()]]), new Map(), ['Extra']],
  ])('finds %s that one side lacks', (_, typescript, python, found) => expect(differences(typescript, python)).toEqual(found));
});
