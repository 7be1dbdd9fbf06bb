// The library's parser of our commands.
import { Cli } from 'clipanion';
import { VERSION } from '#version.ts';
import { commands } from './all-commands.ts';
import type { CliContext } from './context.ts';

/** With all commands, or with those that begin with a word: with all of them it takes 100 ms to read a line. */
export function toolOf(coloured: boolean, word?: string): Cli<CliContext> {
  const cli = new Cli<CliContext>({ binaryLabel: 'svc', binaryName: 'svc', binaryVersion: VERSION, enableCapture: false, enableColors: coloured });
  for (const command of commands) if (word === undefined || command.paths?.some(([first]) => first === word)) cli.register(command);
  return cli;
}
