// The library's parser of our commands.
import { Cli, type CommandClass } from 'clipanion';
import { VERSION } from '#version.ts';
import type { CliContext } from '../lib/context.ts';
import { allCommands, commandsOf } from '../topics/index.ts';

export class Tool extends Cli<CliContext> {
  readonly commands: readonly CommandClass<CliContext>[];

  constructor(commands: readonly CommandClass<CliContext>[], coloured: boolean) {
    super({ binaryLabel: 'svc', binaryName: 'svc', binaryVersion: VERSION, enableCapture: false, enableColors: coloured });
    this.commands = commands;
    for (const command of commands) this.register(command);
  }
}

/**
 * With all commands, or with those that begin with a word: with all of them it takes 100 ms to read a line.
 */
export async function toolOf(coloured: boolean, word?: string): Promise<Tool> {
  return new Tool(word === undefined ? await allCommands() : await commandsOf(word), coloured);
}

/** The words of each. */
export function pathsOf(commands: readonly CommandClass<CliContext>[]): string[][] {
  return commands.flatMap(({ paths = [] }) => paths);
}

/** Without names that are understood and not shown. */
export function shownPaths(commands: readonly CommandClass<CliContext>[]): string[][] {
  return commands.flatMap(({ paths = [] }) => paths.slice(0, 1));
}
