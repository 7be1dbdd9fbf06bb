// A host process for tests that boots a machine, brings it to a state and then waits to be killed. Arguments:
// folder, state (running | paused | suspended | ready: suspended, with a process that waits for its wake).
import { cacheFolder } from '#stack/setup/folders.mjs';
import { createEngine } from '../engine.ts';
import { ensureImages } from '../images/images.ts';
import { startServer } from './guest-server.ts';
import { readyProcess } from './machines.ts';

const [dir = '', state = ''] = process.argv.slice(2);
const cacheDir = cacheFolder(process.env);
const images = await ensureImages({ cacheDir });
const engine = createEngine({ cacheDir, images: () => images, ready: state === 'ready' ? 1 : 0 });
const machine =
  (await engine.adopt(dir)) ?? (await engine.boot({ id: 'abandoned', dir, disks: { base: images.base }, memoryMib: 256, cpus: 1, scratchMib: 64 }));
if (machine.state === 'running') await startServer(machine);
else await machine.wake();
machine.serve('egress', (stream) => stream.end());
await machine.exec('/bin/sh', ['-c', 'echo kept > /home/agent/file']);
if (state === 'paused') await machine.pause();
if (state === 'suspended') await machine.suspend();
if (state === 'ready') {
  await machine.suspend();
  await readyProcess(machine);
}
process.stdout.write('ready\n');
setInterval(() => undefined, 60_000);
