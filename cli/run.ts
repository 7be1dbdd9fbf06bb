// Finds the command, runs it, turns every failure into sentences and an exit code.
import type { Readable, Writable } from 'node:stream';
import { Builtins, Cli, type Command } from 'clipanion';
import { commands } from './commands.ts';
import { readSettings, type CliContext } from './context.ts';
import { explain } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import { asInvoked } from './invoked.ts';
import { forTerminal } from './output.ts';
import { helpPage, isTopic, namesOf, usageLine } from './help.ts';
import { closest } from './suggest.ts';
import type { Typed } from './use/typed.ts';

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
  /** Somebody types on standard input and reads standard error. */
  interactive?: boolean;
}

type Fail = (message: string, exitCode: number) => void;

/** Resolves with the exit code; never rejects. */
export async function run(argv: string[], around: Surroundings): Promise<number> {
  const { env, stdin, stdout, stderr } = around;
  const coloured = around.terminal && !env.NO_COLOR;
  const cli = new Cli<CliContext>({ binaryLabel: 'svc', binaryName: 'svc', binaryVersion: '0.1.2', enableCapture: false, enableColors: coloured });
  for (const command of [Builtins.VersionCommand, ...commands]) cli.register(command);
  let failed: number | undefined;
  const fail: Fail = (message, exitCode) => {
    stderr.write(`${asInvoked(forTerminal(message), env)}\n`);
    failed = exitCode;
  };
  try {
    const context: CliContext = {
      settings: readSettings(env, around),
      env,
      stdin,
      stdout,
      stderr,
      colorDepth: coloured ? 8 : 1,
      interactive: around.interactive === true,
    };
    const words = argv.filter((word) => !word.startsWith('-'));
    const typed = await ofAgentInUse(cli, argv, context);
    if (typed && 'page' in typed) {
      (typed.wrong ? stderr : stdout).write(asInvoked(typed.page, env));
      return typed.wrong ? EXIT.usage : EXIT.ok;
    }
    if (typed) argv = typed.argv;
    if (!typed && (argv.length === 0 || argv.some((word) => word === '--help' || word === '-h') || argv[0] === 'help')) {
      stdout.write(helpPage(cli, context, argv[0] === 'help' ? words.slice(1) : words));
      return EXIT.ok;
    }
    if (words.length === 1 && isTopic(cli, words[0])) {
      stderr.write(helpPage(cli, context, words));
      return EXIT.usage;
    }
    const command = find(cli, argv, context, fail);
    if (!command) return failed ?? EXIT.usage;
    // Otherwise the library would print errors on standard output, with the name of their class.
    command.catch = async (error: unknown) => report(error, fail, context.settings.token !== undefined);
    const exitCode = await cli.run(command, context);
    return failed ?? exitCode;
  } catch (error) {
    report(error, fail);
    return failed ?? EXIT.failure;
  }
}

/** `svc <agent> …`; commands of the tool itself go before. */
async function ofAgentInUse(cli: Cli<CliContext>, argv: readonly string[], context: CliContext): Promise<Typed | undefined> {
  const [agent] = argv;
  if (agent === undefined || agent.startsWith('-') || agent === 'help' || cli.definitions().some(({ path }) => path.split(' ')[1] === agent)) return undefined;
  const { Stubs } = await import('./use/stubs.ts');
  const stub = await new Stubs(context.settings.home).get(agent);
  if (!stub) return undefined;
  const { typedCall } = await import('./use/typed.ts');
  return await typedCall(stub, argv, context.stdin);
}

function report(error: unknown, fail: Fail, givenToken = false): void {
  const { message, exitCode } = explain(error);
  // Signing in would not help: the variable goes before what is kept.
  const hint = givenToken && exitCode === EXIT.notSignedIn ? '\nThe token came from SVC_TOKEN: renew or unset it.' : '';
  fail(`${message}${hint}`, exitCode);
}

function find(cli: Cli<CliContext>, argv: string[], context: CliContext, fail: Fail): Command<CliContext> | undefined {
  try {
    return cli.process(argv, context);
  } catch (error) {
    const known = cli.definitions().map(({ path }) => path.split(' ').slice(1));
    const words = argv.filter((word) => !word.startsWith('-'));
    const meant = known.find((path) => path.every((word, i) => words[i] === word))?.join(' ');
    if (meant === undefined) fail(unknown(words, known), EXIT.usage);
    else fail(`${problem(cli, error, meant, argv)}\nSee: svc ${meant} --help`, EXIT.usage);
    return undefined;
  }
}

function unknown(words: readonly string[], known: readonly string[][]): string {
  const paths = known.map((path) => path.join(' '));
  const suggestion = closest(words.slice(0, 2).join(' '), words[0] ?? '', paths);
  return `There is no command "${words.slice(0, 2).join(' ')}".${suggestion === undefined ? '' : ` Did you mean: svc ${suggestion}?`}\nAll commands: svc --help`;
}

/** What is wrong with the command line, without the library's listing of every option. */
function problem(cli: Cli<CliContext>, error: unknown, command: string, argv: readonly string[]): string {
  const options = cli.definitions().find(({ path }) => path === `svc ${command}`)?.options ?? [];
  const missing = options.filter(({ required, definition }) => required && !argv.some((word) => namesOf(definition).names.includes(word.replace(/=.*/, ''))));
  if (missing.length > 0) return `${missing.map(({ definition }) => namesOf(definition).long).join(', ')} is required.`;
  const text = error instanceof Error ? error.message : String(error);
  if (/positional/.test(text)) return `${text.startsWith('Not enough') ? 'Something is missing' : 'That is more than it takes'}. ${usageLine(cli, command)}`;
  return text.replaceAll('$ ', '').trim().split('\n')[0] ?? '';
}
