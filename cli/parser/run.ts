// Finds the command, runs it, turns every failure into sentences and an exit code.
import type { Readable, Writable } from 'node:stream';
import type { Command } from 'clipanion';
import { readSettings, type CliContext } from '../lib/context.ts';
import { explain } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { asInvoked, typedName } from '../lib/invoked.ts';
import { forTerminal } from '../lib/output.ts';
import { groupNamed } from './groups.ts';
import { matchesPage, helpPage, isTopic } from './help.ts';
import { withNegatives } from './negative.ts';
import { nameHint } from '../lib/similar-names.ts';
import type { Typed } from '../use/typed.ts';
import { pathsOf, shownPaths, type Tool, toolOf } from './tool.ts';
import { allCommands, WORDS } from '../topics/index.ts';
import { VERSION } from '#version.ts';
import { meantBy, unknownCommand, wrongLine } from './words.ts';

export interface Surroundings {
  env: Record<string, string | undefined>;
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
  /** The person's home folder. */
  home: string;
  /** This clone. */
  repository: string;
  /** The file by which the tool was started; advice says `svc` without it. */
  script?: string;
  /** Standard output is a terminal. */
  terminal: boolean;
  /** Standard error is one. */
  errorTerminal?: boolean;
  /** Standard input and standard error are a terminal. */
  interactive?: boolean;
}

const VERSION_WORDS = ['--version', '-V', '-v', 'version'];

type Fail = (message: string, exitCode: number) => void;

/** Resolves with the exit code; never rejects. */
export async function run(argv: string[], around: Surroundings): Promise<number> {
  const { stdout, stderr } = around;
  const name = nameOf(around);
  let failed: number | undefined;
  const fail: Fail = (message, exitCode) => {
    stderr.write(`${asInvoked(forTerminal(message), name)}\n`);
    failed = exitCode;
  };
  try {
    const context = contextOf(around);
    if (argv.length === 1 && VERSION_WORDS.includes(argv[0] ?? '')) {
      stdout.write(`${VERSION}\n`);
      return EXIT.ok;
    }
    const typed = await ofAgentInUse(argv, context);
    if (typed && 'page' in typed) {
      (typed.wrong ? stderr : stdout).write(typed.page);
      return typed.wrong ? EXIT.usage : EXIT.ok;
    }
    if (typed) argv = typed.argv;
    const asksHelp = argv[0] === 'help' || argv.some((word) => word === '--help' || word === '-h');
    const words = argv.filter((word) => !word.startsWith('-')).slice(argv[0] === 'help' ? 1 : 0);
    const cli = await toolOf(coloursOf(around).out, words[0]);
    const topic = words.length === 1 && isTopic(cli, words[0]);
    if (words.length === 0 && (asksHelp || argv.length === 0)) {
      stdout.write(helpPage(cli, context, []));
      return EXIT.ok;
    }
    const known = commandOf(cli, words) !== undefined || topic;
    if (argv[0] === 'help' && (!known || groupNamed(words[0])) && words.length > 0)
      return await findHelp(words, known ? helpPage(cli, context, words) : '', context, fail);
    if (!known) {
      const { Stubs } = await import('../use/stubs.ts');
      const used = await new Stubs(context.settings.home).names();
      fail(
        words.length === 0 ? wrongLine(cli, undefined, '', argv) : unknownCommand(words, [...shownPaths(await allCommands()), ...used.map((name) => [name])]),
        EXIT.usage,
      );
      return EXIT.usage;
    }
    const bare = topic && !commandOf(cli, words);
    if (!typed && (asksHelp || bare)) {
      (asksHelp ? stdout : stderr).write(helpPage(cli, context, words));
      return asksHelp ? EXIT.ok : EXIT.usage;
    }
    const command = find(cli, argv, context, fail);
    if (!command) return failed ?? EXIT.usage;
    // Otherwise the library would print errors on standard output, with the name of their class.
    command.catch = async (error: unknown) => {
      report(error, fail, context.settings.token !== undefined, await nameHint(error, command));
    };
    const exitCode = await cli.run(command, context);
    return failed ?? exitCode;
  } catch (error) {
    report(error, fail);
    return failed ?? EXIT.failure;
  }
}

/** `svc help` with a word: its group, or what it finds. `page`: of the command of that name. */
async function findHelp(words: readonly string[], page: string, context: CliContext, fail: Fail): Promise<number> {
  const cli = await toolOf(context.colours.out);
  const matches = matchesPage(cli, context, words);
  if (page === '' && matches === undefined) {
    fail(`Nothing matches "${words.join(' ')}".${meantBy(words, shownPaths(cli.commands))}\nAll groups: svc --help`, EXIT.usage);
    return EXIT.usage;
  }
  context.stdout.write([page, matches].filter(Boolean).join('\n'));
  return EXIT.ok;
}

/** @throws UsageError where the environment is wrong */
export function contextOf(around: Surroundings): CliContext {
  const { env, stdin, stdout, stderr } = around;
  const colours = coloursOf(around);
  return {
    settings: readSettings(env, around),
    env,
    stdin,
    stdout,
    stderr,
    colorDepth: colours.out ? 8 : 1,
    colours,
    interactive: around.interactive === true,
    name: nameOf(around),
  };
}

function nameOf({ script, env }: Surroundings): string {
  return script === undefined ? 'svc' : typedName(script, env);
}

/** https://no-color.org; a terminal that calls itself dumb shows the codes. */
function coloursOf({ env, terminal, errorTerminal }: Surroundings): CliContext['colours'] {
  const wanted = !env.NO_COLOR && env.TERM !== 'dumb';
  return { out: wanted && terminal, err: wanted && errorTerminal === true };
}

/** `svc <agent> …`; commands of the tool itself go before. */
async function ofAgentInUse(argv: readonly string[], context: CliContext): Promise<Typed | undefined> {
  const [agent] = argv;
  if (agent === undefined || agent.startsWith('-') || agent === 'help' || WORDS.includes(agent)) return undefined;
  const { Stubs } = await import('../use/stubs.ts');
  const stub = await new Stubs(context.settings.home).get(agent);
  if (!stub) return undefined;
  const { typedCall } = await import('../use/typed.ts');
  return await typedCall(stub, argv, context.stdin);
}

function report(error: unknown, fail: Fail, givenToken = false, named = ''): void {
  const { message, exitCode } = explain(error);
  // Signing in would not help: the variable goes before what is kept.
  const hint = givenToken && exitCode === EXIT.notSignedIn ? '\nThe token came from SVC_TOKEN: renew or unset it.' : '';
  fail(`${message}${named}${hint}`, exitCode);
}

function find(cli: Tool, argv: string[], context: CliContext, fail: Fail): Command<CliContext> | undefined {
  try {
    const path = commandOf(cli, argv) ?? [];
    const options = cli.definitions().find((one) => one.path === `svc ${shownPath(cli, path)}`)?.options ?? [];
    return cli.process(withNegatives(options, argv, path), context);
  } catch (error) {
    const words = argv.filter((word) => !word.startsWith('-'));
    const meant = commandOf(cli, words)?.join(' ');
    if (meant === undefined) throw error;
    fail(`${wrongLine(cli, error, meant, argv)}\nSee: svc ${meant} --help`, EXIT.usage);
    return undefined;
  }
}

/** The name by which the library lists it. */
function shownPath({ commands }: Tool, path: readonly string[]): string {
  const words = path.join(' ');
  const command = commands.find(({ paths }) => paths?.some((one) => one.join(' ') === words));
  return command?.paths?.[0]?.join(' ') ?? words;
}

/** The command that the words begin with. */
function commandOf({ commands }: Tool, words: readonly string[]): string[] | undefined {
  // The one of most words: `policy rules pull` begins as `policy rules` does.
  return pathsOf(commands)
    .filter((path) => path.every((word, i) => words[i] === word))
    .toSorted((a, b) => b.length - a.length)[0];
}
