// `svc dev --docker`: the agent's container image on this machine until a signal ends it.
import { join } from 'node:path';
import { composeFile } from '../chat/compose.ts';
import { bringUpAll, nameLayers, takeDown, writeCompose } from '../chat/docker.ts';
import type { Output } from '../output.ts';
import { buildImage } from '../project/image/build.ts';

export interface InContainer {
  folder: string;
  name: string;
  resources: Parameters<typeof composeFile>[0]['resources'];
  host: string;
  port: number;
  envFile: string;
  workspace: string | undefined;
  output: Output;
}

export async function runInContainer({ folder, name, resources, host, port, envFile, workspace, output }: InContainer): Promise<number> {
  const compose = { folder: join(folder, '.svc'), say: (line: string) => output.raw(line) };
  await writeCompose(compose, composeFile({ agent: name, resources, baseImage: 'python:3.11-slim', host, port, envFile, workspace }));
  const image = await buildImage(folder, 'localhost:5000', compose.say);
  await nameLayers(image.layout, image.digest);
  await bringUpAll(compose, true);
  output.line(`http://${host}:${port}`);
  output.note('Stop with Ctrl-C. Changed files are taken up with the next svc dev --docker: an image is built of them.');
  await new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  await takeDown(compose, false);
  return 0;
}
