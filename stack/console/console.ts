// `npm run console`: reads lines and evaluates them beside the installation that is up.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type REPLServer, start } from 'node:repl';
import { PassThrough } from 'node:stream';
import { createLogger } from '#api/http/log.ts';
import { openContext } from '#api/context.ts';
import { readEnvironment } from '#api/environment.ts';
import { baseUrl, partEnvironment } from '../environment.ts';
import { lastAddresses } from '../parts/all.ts';
import { apiAs } from '../person.ts';
import { runningDatabaseUrl } from '../parts/postgres.ts';
import type { Settings } from '../settings.ts';
import { type AtHand, atHand, GUIDE } from './at-hand.ts';

export async function openConsole(settings: Settings, print: (line: string) => void): Promise<void> {
  const env = partEnvironment(settings, { ...lastAddresses(settings), databaseUrl: runningDatabaseUrl(settings) });
  const { ctx, close } = await openContext(readEnvironment(env), createLogger('warn'));
  print(`The installation at ${baseUrl(settings)}. What you change here is changed: the console writes to its data.\n${GUIDE}`);
  await evaluateLines(
    atHand(ctx, (email) => apiAs(settings, email)),
    process,
  );
  await close();
}

/** Lines that come all at once, from a file: each waits for the one before it, which may have to await. */
function oneByOne(repl: REPLServer, from: NodeJS.ReadableStream, to: PassThrough): void {
  const lines = createInterface({ input: from })[Symbol.asyncIterator]();
  const next = async (): Promise<void> => {
    const { done, value } = await lines.next();
    if (done === true) to.end();
    else to.write(`${value}\n`);
  };
  const show = repl.displayPrompt.bind(repl);
  repl.displayPrompt = (keepsCursor) => {
    show(keepsCursor);
    void next();
  };
  void next();
}

/** Resolves at the end of the input. Lines may await. */
export async function evaluateLines(values: AtHand, { stdin, stdout }: { stdin: NodeJS.ReadableStream; stdout: NodeJS.WritableStream }): Promise<void> {
  const isTyped = 'isTTY' in stdin && stdin.isTTY === true;
  const given = new PassThrough();
  const repl = start({ prompt: 'svc> ', input: isTyped ? stdin : given, output: stdout, ignoreUndefined: true });
  Object.assign(repl.context, values);
  if (!isTyped) oneByOne(repl, stdin, given);
  await once(repl, 'exit');
}
