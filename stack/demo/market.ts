// A simulated market of creators: under which price rule do they stay solvent? Compared on the same seeds,
// then plotted under the rule that wins.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { commandLineTool } from './tool.ts';

const RULES = {
  world: 'creator-market',
  participants: [
    { name: 'flat', strategy: 'fixed_price', parameters: { price_micros: 700 } },
    { name: 'costs', strategy: 'cost_plus', parameters: { margin_permille: 250 } },
    { name: 'demand', strategy: 'demand_following' },
  ],
};

export async function market(tool: Pick<ReturnType<typeof commandLineTool>, 'run'>, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'price-rules.json');
  await writeFile(file, JSON.stringify(RULES, null, 2));
  await tool.run('evolve', file, '--seeds', '8', '--follow');
  await tool.run('simulate', 'creator-market', '--seed', '7', '--follow');
}
