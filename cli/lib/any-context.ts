import type { CommandClass } from 'clipanion';
import type { CliContext } from './context.ts';

// Safe: these commands ask for the streams only, which every context has.
export function inAnyContext(command: CommandClass): CommandClass<CliContext> {
  return command as unknown as CommandClass<CliContext>;
}
