// `node bench/git-push.ts [runs]`: `git push` until it returns, which is when the agent is live, and `svc
// deploy` of the same change until live. One agent each, no dependencies, one installation of its own.
// Target: a push takes at most 1.3 times as long.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Installation, installation, ok } from '#test/e2e/installation.ts';
import { greeterFiles } from '#test/support/project.ts';
import { median, printRatio, rounds } from './ratio.ts';

const run = promisify(execFile);
const runs = Number(process.argv[2] ?? rounds(5, 2));
const i = await installation();
try {
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  const uploaded = await i.project('uploaded', greeterFiles('bench-upload'));
  // The first build of a host also makes the snapshot that later builds start from.
  ok(await i.svc('deploy', uploaded));
  const token = ok(await i.svc('token')).stdout.trim();
  const made = await fetch(`${i.baseUrl}/v1/agents/from-source`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench-push' }),
  });
  if (made.status !== 201) throw new Error(await made.text());
  const pushed = join(i.home, 'bench-push');
  ok(await i.svc('clone', 'bench-push', pushed));
  for (const [path, content] of Object.entries(greeterFiles('bench-push'))) await writeFile(join(pushed, path), content);
  process.stdout.write((await push(i, pushed)).said);
  const call = ok(await i.svc('call', 'bench-push', 'greet', 'name=Ada'));
  if (!call.stdout.includes('Hello, Ada!')) throw new Error(`the pushed agent answered ${call.stdout}`);

  const [deploys, pushes]: [number[], number[]] = [[], []];
  for (let n = 1; n <= runs; n += 1) {
    const change = (name: string) => greeterFiles(name, `1.0.${n}`, { greeting: `Hello ${n}` });
    for (const [path, content] of Object.entries(change('bench-upload'))) await writeFile(join(uploaded, path), content);
    const began = performance.now();
    ok(await i.svc('deploy', uploaded));
    deploys.push((performance.now() - began) / 1000);
    for (const [path, content] of Object.entries(change('bench-push'))) await writeFile(join(pushed, path), content);
    pushes.push((await push(i, pushed)).seconds);
  }
  console.table({ 'svc deploy': row(deploys), 'git push': row(pushes) });
  const each = deploys.map((seconds, n) => seconds / (pushes[n] ?? Number.NaN));
  const spread: [number, number] = [Math.min(...each), Math.max(...each)];
  printRatio({ name: 'svc deploy in terms of git push', ratio: median(deploys) / median(pushes), unit: 'x', spread, target: 1 / 1.3 });
} finally {
  await i.destroy();
}

/** Commits what changed and pushes it. @throws where the agent is not live afterwards */
async function push({ env }: Installation, folder: string): Promise<{ seconds: number; said: string }> {
  const git = async (...args: string[]) =>
    run('git', ['-C', folder, '-c', 'user.name=Ada', '-c', 'user.email=ada@svc.local', ...args], { env: { ...process.env, ...env } });
  await git('add', '-A');
  await git('commit', '-q', '-m', 'change');
  const began = performance.now();
  const { stderr } = await git('push', 'origin', 'HEAD:main');
  if (!stderr.includes('remote: Live: ')) throw new Error(stderr);
  return { seconds: (performance.now() - began) / 1000, said: stderr };
}

function row(seconds: number[]): Record<string, string> {
  return { median_s: median(seconds).toFixed(1), fastest_s: Math.min(...seconds).toFixed(1), slowest_s: Math.max(...seconds).toFixed(1) };
}
