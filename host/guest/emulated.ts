// How V8 runs an agent in an emulated machine.
import { setFlagsFromString } from 'node:v8';
import { EMULATED } from './config.ts';

/**
 * After a wake the emulator translates again what runs. So code is shared rather than fast until it has run
 * often: no machine code for each function, inline caches and optimized code ten to a hundred times later
 * than V8's defaults (8, 400, 3,000 calls; loops are optimized as always), and no second compilation of
 * functions that were idle for long.
 */
const FLAGS = [
  '--no-sparkplug',
  '--no-flush-bytecode',
  '--invocation-count-for-feedback-allocation=1000',
  '--invocation-count-for-maglev=4000',
  '--invocation-count-for-turbofan=30000',
];

/**
 * Once the SDK is loaded. Not on the command line: V8 refuses compiled code that was made with other flags,
 * the SDK's and Node's own, and would compile a megabyte and a half of source in each start.
 */
export function shareCode(): void {
  if (process.argv.includes(EMULATED)) for (const flag of FLAGS) setFlagsFromString(flag);
}
