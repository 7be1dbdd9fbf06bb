#!/usr/bin/env node
// Starts the tool under the repository's own Node, whatever Node runs this file: plain JavaScript for that
// reason. Compiled code is kept in the user's cache: without it, half of a short command's time is compiling.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const node = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > 23 || (major === 23 && minor >= 6)) {
  const { keepCompiled } = await import('./package/keep-compiled.mjs');
  keepCompiled();
  await import(main);
} else if (existsSync(node)) {
  // By the path it was started by: advice says the same name again.
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // A terminal sends ctrl-C to both; the tool itself decides what it means.
  const terminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (signal !== 'SIGINT' || !terminal) && child.kill(signal));
  child.on('error', (error) => {
    console.error(`svc could not start ${node}: ${error.message}. Run npm ci in the repository.`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal ?? 'SIGKILL'] ?? 0);
  });
} else {
  console.error(`svc needs Node 24, and this is Node ${process.versions.node}. Run npm ci in the repository: on Linux it brings its own.`);
  process.exitCode = 1;
}
