// Reads a secret value: typed without being shown, or read from a file or standard input. Never from the
// command line, where every user of the machine could read it.
import { inputReader } from '../call/arguments.ts';
import type { CliContext } from '../lib/context.ts';
import { UsageError } from '../lib/errors.ts';
import { NoAnswer } from './form.ts';
import { Terminal } from './terminal.ts';

/** `from`: `@file`, `@-`, or nothing: then it is asked. @throws UsageError, NoAnswer */
export async function secretValue(context: CliContext, name: string, from: string | undefined): Promise<string> {
  if (from !== undefined && !from.startsWith('@')) {
    throw new UsageError(`A secret does not belong on the command line: leave it out and type it when asked, or give @file or @- (standard input).`);
  }
  if (from !== undefined) return nonEmpty(name, (await inputReader(context.stdin)(from)).replace(/\r?\n$/, ''));
  if (!context.interactive) throw new UsageError(`${name} cannot be asked for here: give it as @file or @- (standard input).`);
  const terminal = new Terminal(context);
  try {
    const typed = await terminal.secret(`${name} (is not shown): `);
    if (typed === undefined) throw new NoAnswer();
    return nonEmpty(name, typed);
  } finally {
    terminal.close();
  }
}

function nonEmpty(name: string, value: string): string {
  if (value === '') throw new UsageError(`${name} is empty.`);
  return value;
}
