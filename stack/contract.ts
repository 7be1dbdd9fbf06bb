// `npm run contract`: writes the client's table of routes and the reference of error codes, and compares the
// contract with the specification's inventory. Missing routes are counted, differing ones fail.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { errorReference } from '#contract/errors/reference.ts';
import { contract } from '#contract/index.ts';
import { compare, InventoryRow, routesOf, specified } from '#contract/inventory.ts';
import { tableOf, tableSource } from '#contract/route-table.ts';

const write = (file: string, text: string): void => writeFileSync(new URL(`../contract/${file}`, import.meta.url), text);
write('client-routes.ts', tableSource(tableOf(contract), { from: 'contract/index.ts', name: 'CLIENT_ROUTES' }));
mkdirSync(new URL('../docs/', import.meta.url), { recursive: true });
writeFileSync(new URL('../docs/errors.md', import.meta.url), errorReference());

const file = new URL('../contract/inventory.json', import.meta.url);
const inventory = z.array(InventoryRow).parse(JSON.parse(readFileSync(file, 'utf8')));
const declared = routesOf(contract);
const { missing, differences } = compare(declared, inventory);

for (const [group, rows] of Map.groupBy(missing, (row) => row.group)) {
  process.stdout.write(`missing in ${group} (${rows.length}):\n${rows.map((row) => `  ${row.method} ${row.path}\n`).join('')}`);
}
for (const difference of differences) process.stdout.write(`differs: ${difference}\n`);
process.stdout.write(
  `${specified(declared).length} of ${inventory.length} routes declared, ${missing.length} missing, ${differences.length} differing; ${declared.length} in all\n`,
);
process.exitCode = differences.length > 0 ? 1 : 0;
