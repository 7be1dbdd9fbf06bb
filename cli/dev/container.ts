// `svc dev --docker`: the agent's container image on this machine, with its logs, until a signal ends it.
import { join } from 'node:path';
import { composeFile } from '../chat/compose.ts';
import { bringUpAll, followLogs, nameLayers, takeDown, writeCompose } from '../chat/docker.ts';
import { forTerminal, type Output } from '../lib/output.ts';
import { buildImage } from '../project/image/build.ts';
import { oneAtATime, type Watcher, watchProject } from '../project/watch.ts';

export interface InContainer {
  folder: string;
  name: string;
  resources: Parameters<typeof composeFile>[0]['resources'];
  host: string;
  port: number;
  /** A new image, and a container of it, when files have changed. */
  reload: boolean;
  envFile: string;
  workspace: string | undefined;
  output: Output;
}

/** @throws CliError where the first image cannot be made or started */
export async function runInContainer({ folder, name, resources, host, port, reload, envFile, workspace, output }: InContainer): Promise<number> {
  const emit = (event: Record<string, unknown>, text: string): void => (output.json ? output.line(JSON.stringify(event)) : output.note(text));
  const compose = { folder: join(folder, '.svc'), say: (line: string) => output.raw(line) };
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.on('SIGINT', end).on('SIGTERM', end);
  const start = async (): Promise<void> => {
    const image = await buildImage(folder, 'localhost:5000', compose.say, { allowSecrets: true }); // it stays on this machine
    await nameLayers(image.layout, image.digest);
    if (!stop.signal.aborted) await bringUpAll(compose, true);
  };
  // The image has all that the agent needs: it starts from nothing.
  await writeCompose(compose, composeFile({ agent: name, resources, baseImage: 'scratch', host, port, envFile, workspace }));
  let watcher: Watcher | undefined;
  try {
    let first = Promise.resolve(true);
    const take = oneAtATime(async () => {
      // What is saved while the first image is made is taken up after it.
      if (!(await first)) return;
      const began = performance.now();
      try {
        await start();
        emit({ event: 'served', well: true, ms: Math.round(performance.now() - began) }, output.good('serving what was changed'));
      } catch (error) {
        // A file may also have gone while it was read.
        const message = error instanceof Error ? error.message : String(error);
        if (!stop.signal.aborted) emit({ event: 'problem', message }, output.bad(`${forTerminal(message)}\nthe previous version keeps serving`));
      }
    });
    if (reload) watcher = watchProject(folder, take);
    const starting = start();
    first = starting.then(
      () => true,
      () => false,
    );
    await starting;
    const url = `http://${host}:${port}`;
    emit({ event: 'ready', url }, `${name} is served at ${url} (stop with Ctrl-C)`);
    await followLogs(
      compose,
      (text) => (output.json ? output.line(JSON.stringify({ event: 'log', text: forTerminal(text) })) : output.raw(forTerminal(text))),
      stop.signal,
    );
  } catch (error) {
    // Ctrl-C also ends the programs that were started.
    if (!stop.signal.aborted) throw error;
  } finally {
    watcher?.close();
    process.off('SIGINT', end).off('SIGTERM', end);
    await takeDown(compose, false);
  }
  return 0;
}
