// Finds the command, runs it, turns every failure into sentences and an exit code.
import type { Readable, Writable } from 'node:stream';
import { Builtins, Cli, type Command } from 'clipanion';
import { commands } from './commands.ts';
import { readSettings, type CliContext } from './context.ts';
import { explain } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import { forTerminal } from './output.ts';
import { closest } from './suggest.ts';

export interface Surroundings {
  env: Record<string, string | undefined>;
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
  /** The person's home folder. */
  home: string;
  /** This clone. */
  repository: string;
  /** Standard output is a terminal that may be coloured. */
  terminal: boolean;
}

type Fail = (message: string, exitCode: number) => void;

/** Resolves with the exit code; never rejects. */
export async function run(argv: string[], around: Surroundings): Promise<number> {
  const { env, stdin, stdout, stderr } = around;
  const coloured = around.terminal && !env.NO_COLOR;
  const cli = new Cli<CliContext>({ binaryLabel: 'svc', binaryName: 'svc', binaryVersion: '0.1.2', enableCapture: false, enableColors: coloured });
  for (const command of [Builtins.HelpCommand, Builtins.VersionCommand, ...commands]) cli.register(command);
  let failed: number | undefined;
  const fail: Fail = (message, exitCode) => {
    stderr.write(`${forTerminal(message)}\n`);
    failed = exitCode;
  };
  try {
    const context: CliContext = { settings: readSettings(env, around), env, stdin, stdout, stderr, colorDepth: coloured ? 8 : 1 };
    const command = find(cli, argv, context, fail);
    if (!command) return failed ?? EXIT.usage;
    // Otherwise the library would print errors on standard output, with the name of their class.
    command.catch = async (error: unknown) => report(error, fail);
    const exitCode = await cli.run(command, context);
    return failed ?? exitCode;
  } catch (error) {
    report(error, fail);
    return failed ?? EXIT.failure;
  }
}

function report(error: unknown, fail: Fail): void {
  const { message, exitCode } = explain(error);
  fail(message, exitCode);
}

function find(cli: Cli<CliContext>, argv: string[], context: CliContext, fail: Fail): Command<CliContext> | undefined {
  try {
    return cli.process(argv, context);
  } catch (error) {
    const known = cli.definitions().map(({ path }) => path.split(' ').slice(1));
    const words = argv.filter((word) => !word.startsWith('-'));
    const fits = known.some((path) => path.every((word, i) => words[i] === word));
    const suggestion = fits
      ? undefined
      : closest(
          words.slice(0, 2).join(' '),
          words[0] ?? '',
          known.map((path) => path.join(' ')),
        );
    if (fits) fail(firstParagraph(error), EXIT.usage);
    else
      fail(
        `There is no command "${words.slice(0, 2).join(' ')}".${suggestion === undefined ? '' : ` Did you mean: svc ${suggestion}?`}\nAll commands: svc --help`,
        EXIT.usage,
      );
    return undefined;
  }
}

/** The library's own words without its listing of every command. */
function firstParagraph(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return `${text.replaceAll('$ ', '').trim()}\nHelp: add --help to the command.`;
}
