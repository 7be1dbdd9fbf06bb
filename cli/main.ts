// The tool's entry: the only place that touches the process.
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { EXIT } from './lib/exit-codes.ts';
import { setTableWidth } from './lib/output.ts';
import { run } from './parser/run.ts';

// A reader that has seen enough (`svc … | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

// Also as the first process of a container, which has no default for them. Whoever listens decides.
for (const [signal, code] of [
  ['SIGINT', EXIT.interrupted],
  ['SIGTERM', EXIT.terminated],
] as const)
  process.on(signal, () => process.listenerCount(signal) === 1 && process.exit(code));

setTableWidth(process.stdout.isTTY ? process.stdout.columns : undefined);
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  home: homedir(),
  script: process.argv[1] ?? '',
  repository: fileURLToPath(new URL('..', import.meta.url)),
  terminal: process.stdout.isTTY === true,
  errorTerminal: process.stderr.isTTY === true,
  interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
});
