// Records the terminal session of docs/start.md: `node docs/record.ts`. It starts a platform of its own, runs
// every command for real, writes docs/terminal.txt as it was printed, and stops what it started. Then `node
// docs/pages.ts` puts the text into the page.
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { isFree } from '#stack/ports.ts';
import { installation, ok } from '#test/e2e/installation.ts';
import { ROOT } from './pages.ts';

const lines: string[] = [];
// The port that a reader will see, where it is free.
const place = await installation((await isFree(8080)) ? { SVC_PORT: '8080', SVC_API_URL: 'http://localhost:8080' } : {});
try {
  ok(await place.stack('up'));
  ok(await place.svc('login', '--local', 'ada@svc.local'));
  await shown(0, 'deploy', 'docs/samples/greeter');
  await shown(0, 'call', 'greeter', 'greet', 'name=Ada');
  await shown(5, 'call', 'greeter', 'invite', 'name=Grace', '--no-input');
  const Waits = z.array(z.object({ wait_id: z.string(), run_id: z.string() }));
  const [wait] = Waits.parse(JSON.parse(ok(await place.svc('answer', '--json')).stdout));
  if (!wait) throw new Error('no wait is open: the skill did not ask');
  await shown(0, 'answer', wait.wait_id, 'yes');
  await shown(0, 'logs', '--run', wait.run_id, '--follow');
  const Receipts = z.array(z.object({ receipt_id: z.string() }));
  const [receipt] = Receipts.parse(JSON.parse(ok(await place.svc('receipt', 'list', 'greeter', '--json')).stdout));
  if (!receipt) throw new Error('the calls left no receipt');
  await shown(0, 'receipt', 'verify', receipt.receipt_id, '--agent', 'greeter');
  await writeFile(join(ROOT, 'docs/terminal.txt'), `${lines.join('\n')}\n`);
} finally {
  await place.destroy();
}

/** Runs `svc`, as a person does, and keeps what it prints, in the order in which it prints it. */
async function shown(code: number, ...args: string[]): Promise<void> {
  const command = `svc ${args.join(' ')}`;
  const child = spawn('sh', ['-c', 'exec svc "$@" 2>&1', 'sh', ...args], {
    cwd: ROOT,
    env: { ...place.env, PATH: `${join(ROOT, 'cli/bin')}:${dirname(process.execPath)}:${place.env.PATH ?? ''}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [printed, exit] = await Promise.all([text(child.stdout), ended]);
  if (exit !== code) throw new Error(`${command} ended with ${exit}, not ${code}:\n${printed}`);
  lines.push(`$ ${command}`, ...printed.trimEnd().split('\n'), '');
  process.stdout.write(`${lines.slice(-printed.trimEnd().split('\n').length - 2).join('\n')}\n`);
}
