// Suites and clients of other people, unmodified, against agents that were deployed:
//   npm run test:protocols [-- --tck FOLDER --tck FOLDER] [NAME ...]
// NAME: part of a suite's name. FOLDER: a checkout of a2a-tck, of its branch 1.0-dev or 0.3.x. Ends with a
// table and counts.
import { parseArgs } from 'node:util';
import { a2aTck } from './a2a-tck.ts';
import { clients } from './clients.ts';
import { mcpSuites } from './mcp.ts';
import { oauth } from './oauth.ts';
import { type Counts, print, type Suite } from './suite.ts';
import { deployedWorld } from './world.ts';

const { values, positionals } = parseArgs({ options: { tck: { type: 'string', multiple: true, default: [] } }, allowPositionals: true });
const all: readonly Suite[] = [...mcpSuites, clients, oauth, ...values.tck.map(a2aTck)];
const chosen = all.filter(({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)));
if (chosen.length === 0) throw new Error(`no suite is called so; there are ${all.map(({ name }) => name).join(', ')}`);

const rows: { name: string; counts: Counts }[] = [];
const bySettings = Map.groupBy(chosen, ({ settings = {} }) => JSON.stringify(settings));
for (const [settings, suites] of bySettings) {
  const world = await deployedWorld([...new Set(suites.flatMap(({ agents }) => agents))], JSON.parse(settings));
  try {
    for (const suite of suites) {
      print(`\n── ${suite.name}`);
      rows.push({ name: suite.name, counts: await suite.run(world) });
    }
  } finally {
    await world.stop();
  }
}
for (const { name, counts } of rows)
  print(`${name.padEnd(22)} ${Object.entries(counts).map(([what, count]) => `${count} ${what}`).join(', ')}`); // prettier-ignore
const sum = (of: 'passed' | 'failed'): number => rows.reduce((total, { counts }) => total + counts[of], 0);
print(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') > 0 ? 1 : 0;
