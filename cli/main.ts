// The tool's entry: reads the environment once, finds the command, turns every failure into sentences and an exit code.
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Builtins, Cli, type Command } from 'clipanion';
import { commands } from './commands.ts';
import { readSettings, type CliContext } from './context.ts';
import { explain } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import { closest } from './suggest.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));

process.exitCode = await run(process.argv.slice(2));

async function run(argv: string[]): Promise<number> {
  const coloured = process.env.NO_COLOR === undefined && process.stdout.isTTY === true;
  const cli = new Cli<CliContext>({ binaryLabel: 'svc', binaryName: 'svc', binaryVersion: '0.1.2', enableCapture: false, enableColors: coloured });
  cli.register(Builtins.HelpCommand);
  cli.register(Builtins.VersionCommand);
  for (const command of commands) cli.register(command);
  let failed: number | undefined;
  const fail = (message: string, exitCode: number) => {
    process.stderr.write(`${message}\n`);
    failed = exitCode;
  };
  try {
    const interactive = process.stdin.isTTY === true && process.stderr.isTTY === true;
    const settings = readSettings(process.env, { home: homedir(), repository, interactive });
    const context: CliContext = {
      settings,
      cwd: process.cwd(),
      env: process.env,
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      colorDepth: coloured ? 8 : 1,
    };
    const command = find(cli, argv, context, fail);
    if (!command) return failed ?? EXIT.usage;
    // Otherwise the library would print errors on standard output, with the name of their class.
    command.catch = async (error: unknown) => {
      const { message, exitCode } = explain(error);
      fail(message, exitCode);
    };
    const exitCode = await cli.run(command, context);
    return failed ?? exitCode;
  } catch (error) {
    const { message, exitCode } = explain(error);
    fail(message, exitCode);
    return exitCode;
  }
}

function find(cli: Cli<CliContext>, argv: string[], context: CliContext, fail: (message: string, exitCode: number) => void): Command<CliContext> | undefined {
  try {
    return cli.process(argv, context);
  } catch (error) {
    const known = cli.definitions().map(({ path }) => path.split(' ').slice(1));
    const words = argv.filter(word => !word.startsWith('-'));
    const fits = known.some(path => path.every((word, i) => words[i] === word));
    const suggestion = fits ? undefined : closest(words.slice(0, 2).join(' '), words[0] ?? '', known.map(path => path.join(' ')));
    if (fits) fail(firstParagraph(error), EXIT.usage);
    else fail(`There is no command "${words.slice(0, 2).join(' ')}".${suggestion === undefined ? '' : ` Did you mean: svc ${suggestion}?`}\nAll commands: svc --help`, EXIT.usage);
    return undefined;
  }
}

/** The library's own words without its listing of every command. */
function firstParagraph(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return `${text.replaceAll('$ ', '').trim()}\nHelp: add --help to the command.`;
}
