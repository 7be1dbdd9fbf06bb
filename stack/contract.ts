// `npm run contract`: the contract against the specification's inventory. Missing routes are counted, differing ones fail.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { contract } from '../contract/index.ts';
import { compare, InventoryRow, routesOf } from '../contract/inventory.ts';

const file = new URL('../contract/inventory.json', import.meta.url);
const inventory = z.array(InventoryRow).parse(JSON.parse(readFileSync(file, 'utf8')));
const declared = routesOf(contract);
const { missing, differences } = compare(declared, inventory);

for (const [group, rows] of Map.groupBy(missing, (row) => row.group)) {
  process.stdout.write(`missing in ${group} (${rows.length}):\n${rows.map((row) => `  ${row.method} ${row.path}\n`).join('')}`);
}
for (const difference of differences) process.stdout.write(`differs: ${difference}\n`);
process.stdout.write(`${declared.length} of ${inventory.length} routes declared, ${missing.length} missing, ${differences.length} differing\n`);
process.exitCode = differences.length > 0 ? 1 : 0;
