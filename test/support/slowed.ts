// Tests with a part of a processor: npm run test:slowed -- 0.5 <files, or other arguments of vitest>. The
// runner and all that it starts share so much processor time, but for what leaves for a control group of its
// own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createThrottle } from '#host/agents/cpu.ts';

const [given = '', ...args] = process.argv.slice(2);
const processors = Number(given);
if (!(processors >= 0.05 && processors <= 64) || args.length === 0)
  refuse('Say how much of a processor, and which tests: npm run test:slowed -- 0.5 core/agents');
const { throttle, means, close } = await createThrottle('/sys/fs/cgroup', `svc-slowed-${process.pid}`);
if (means === 'nice')
  refuse('Only control groups can hold tests to a part of a processor, and this user may not make any: run it as root, or have one delegated to you');

// It waits until it is held: what it starts is, too.
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const child = spawn('/bin/sh', ['-c', 'read go && exec "$@"', 'sh', process.execPath, vitest, 'run', ...args], { stdio: ['pipe', 'inherit', 'inherit'] });
const ended = once(child, 'exit');
// The terminal tells it as well, and it ends in order.
process.on('SIGINT', () => undefined);
await throttle.hold('tests', child.pid ?? 0, processors * 1_000);
child.stdin.end('go\n');
const [code] = await ended;
await throttle.forget('tests');
await close();
process.exitCode = typeof code === 'number' ? code : 1;

function refuse(why: string): never {
  process.stderr.write(`${why}.\n`);
  process.exit(2);
}
