import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runBounded } from './bounded.ts';

const heard = (): { text: string; onStdout(chunk: Buffer): void; onStderr(): void } => {
  const own = { text: '', onStdout: (chunk: Buffer): void => void (own.text += chunk.toString()), onStderr: (): void => undefined };
  return own;
};
/** One that has ended may wait for its parent to ask for its code. */
const isRunning = (id: number): boolean => existsSync(`/proc/${id}/stat`) && !/\) Z /.test(readFileSync(`/proc/${id}/stat`, 'utf8'));

test('what a program says, and its code', async () => {
  const said = heard();
  expect(await runBounded(['/bin/sh', '-c', 'echo word; exit 3'], '/', { withinMs: 60_000, ...said })).toMatchObject({ code: 3, late: false });
  expect(said.text).toBe('word\n');
});

test('when its time is over, all of its group ends', async () => {
  const said = heard();
  expect(await runBounded(['/bin/sh', '-c', 'sleep 1000 & echo $!; wait'], '/', { withinMs: 200, ...said })).toMatchObject({ code: null, late: true });
  await expect.poll(() => isRunning(Number(said.text))).toBe(false);
});

test('what it leaves behind in its group ends with it, and one that left the group is not waited for', async () => {
  const said = heard();
  const ended = await runBounded(['/bin/sh', '-c', 'setsid sleep 1000 & echo $!; sleep 1000 & echo $!'], '/', { withinMs: 60_000, ...said });
  expect(ended).toMatchObject({ code: 0, late: false });
  const [left = 0, stayed = 0] = said.text.trim().split('\n').map(Number);
  await expect.poll(() => isRunning(stayed)).toBe(false);
  if (isRunning(left)) process.kill(left);
});
