// The tool's entry: the only place that touches the process.
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { run } from './parser/run.ts';

// A reader that has seen enough (`svc … | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

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
