// What processes run of this area.
import type { AreaLoop } from '../kernel/loop.ts';
import { probeImports } from './import/probe.ts';

export const importLoops: readonly AreaLoop[] = [{ name: 'imports', everyMs: 15_000, run: (ctx) => probeImports(ctx) }];
