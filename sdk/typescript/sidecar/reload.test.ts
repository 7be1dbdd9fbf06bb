// Changed code in the worker that serves: asked for where the worker can, and its process ends with the last
// agent in it.
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WORKER_PROTOCOL } from '../../../contract/wire/worker.ts';
import { connectWorker } from './connect.ts';
import { WorkerLost } from './errors.ts';
import { fakeWorker, type React } from './fake-worker.ts';
import { WorkerLink } from './link.ts';
import { startProcess } from './process.ts';
import { SharedProcess } from './shared.ts';

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const DSL = { dsl: 1, card: { name: 'fake', description: '', version: '1.0.0', skills: [], runtime: {} }, worker: { language: 'go', entrypoint: 'main:main' } };

async function linkTo(react: React, more: object = { reloads: true }) {
  const hello = { t: 'hello', protocol: WORKER_PROTOCOL, language: 'test', sdk: 'test', skills: [], ...more };
  const worker = await fakeWorker(react, hello);
  const link = new WorkerLink(await connectWorker({ url: worker.url }), silent);
  onTestFinished(() => link.close('the test is over'));
  return { worker, link };
}

it('a worker that says so is asked, and answers with its declaration or what is wrong', async () => {
  const answers: object[] = [
    { t: 'reloaded', dsl: DSL },
    { t: 'not_reloaded', problems: [{ file: '/p/agent.py', line: 3, message: 'SyntaxError' }], of_process: false },
  ];
  const { link } = await linkTo((frame, say) => {
    if (frame.t !== 'reload') return;
    expect(link.reloading).toBe(true);
    say({ ...answers.shift(), id: frame.id });
  });
  expect(await link.reload()).toMatchObject({ t: 'reloaded', dsl: { card: { name: 'fake' } } });
  expect(await link.reload()).toMatchObject({ t: 'not_reloaded', problems: [{ line: 3 }], of_process: false });
  expect(link.reloading).toBe(false);
});

it('one that does not say so is not asked; one that answers anything else is given up', async () => {
  const { worker, link } = await linkTo(() => {}, {});
  expect(await link.reload()).toBeUndefined();
  expect(worker.heard).toEqual([]);
  const { link: wrong } = await linkTo((frame, say) => {
    if (frame.t === 'reload') say({ t: 'reloaded', id: frame.id });
  });
  await expect(wrong.reload()).rejects.toThrow(WorkerLost);
  expect(wrong.open).toBe(false);
});

it('a process ends with the last of its users, and the folder of its socket goes with it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-shared-'));
  await writeFile(join(folder, 'socket'), '');
  const process = startProcess({ command: 'sh', args: ['-c', 'echo ready >&2; exec sleep 600'] }, join(folder, 'socket'), silent);
  let ended = false;
  void process.ended.then(() => (ended = true));
  await vi.waitFor(() => expect(process.lastWords()).toBe('ready'), 10_000);
  const shared = new SharedProcess(process, join(folder, 'socket'), folder);
  shared.join();
  await shared.leave(1_000);
  expect([ended, existsSync(folder)]).toEqual([false, true]);
  await shared.leave(1_000);
  expect([ended, existsSync(folder)]).toEqual([true, false]);
});
