// What builds check types with, as one archive: the compiler of this installation, the SDK's declarations and
// Node's. Made once per state of them.
import { createWriteStream } from 'node:fs';
import { access, cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { create } from 'tar';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { writeSdkTypes } from '#sdk/typescript/build.ts';
import { checkToolPaths } from '../build/guest/plan.ts';
import { sdkFolder } from './images.ts';

interface Installed {
  /** Folder of the program and its library. */
  compiler: string;
  nodeTypes: string;
  undiciTypes: string;
}

/** @throws RuntimeError internal: what the installation lacks */
export function installedTools(from: string = import.meta.url): Installed {
  const folderOf = (name: string, by: string): string => dirname(createRequire(by).resolve(`${name}/package.json`));
  try {
    const typescript = folderOf('typescript', from);
    const program = folderOf(`@typescript/typescript-${process.platform}-${process.arch}`, join(typescript, 'package.json'));
    const nodeTypes = folderOf('@types/node', from);
    return { compiler: join(program, 'lib'), nodeTypes, undiciTypes: folderOf('undici-types', join(nodeTypes, 'package.json')) };
  } catch (error) {
    const name = /Cannot find module '([^']+)\/package\.json'/.exec(String(error))?.[1] ?? 'the TypeScript compiler';
    throw new RuntimeError('internal', `Types cannot be checked on this runtime host: ${name} is not installed. The operator runs \`npm run setup\`.`);
  }
}

/** Path of the archive. @throws RuntimeError internal where the compiler is not installed */
export async function checkTools(cacheDir: string): Promise<string> {
  const installed = installedTools();
  const hash = createHash('sha256').update(`check-tools-1:${basename(await sdkFolder(cacheDir))}`);
  for (const folder of [dirname(installed.compiler), installed.nodeTypes]) hash.update(await readFile(join(folder, 'package.json')));
  const file = join(cacheDir, 'check-tools', `${hash.digest('hex').slice(0, 32)}.tar.zst`);
  const there = await access(file).then(
    () => true,
    () => false,
  );
  if (!there) await write(file, installed);
  return file;
}

async function write(file: string, { compiler, nodeTypes, undiciTypes }: Installed): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = await mkdtemp(join(dirname(file), '.draft-'));
  try {
    const tree = join(draft, 'tree');
    const modules = join(tree, checkToolPaths.modules);
    await Promise.all([
      cp(compiler, join(tree, checkToolPaths.compiler), { recursive: true }),
      cp(nodeTypes, join(modules, '@types/node'), { recursive: true }),
      cp(undiciTypes, join(modules, 'undici-types'), { recursive: true }),
      writeSdkTypes(join(tree, checkToolPaths.sdk)),
    ]);
    await pipeline(create({ cwd: tree, portable: true }, ['.']), createZstdCompress(), createWriteStream(join(draft, 'archive')));
    await rename(join(draft, 'archive'), file);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
