// npm run release -- VERSION [--dry-run] [--any-branch]: the version everywhere, the changelog, what is
// handed out, the fixture. It can be run again where it was cut off. It commits, tags and publishes nothing:
// it prints the commands for that.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { repository } from '../setup/folders.mjs';
import { VERSIONED, writeVersion } from '../version.ts';
import { CHANGELOG, type Released, releasesOf, withRelease } from './changelog.ts';
import { FIXTURE_SCRIPT, problemsOf } from './checks.ts';

const Manifest = z.object({ version: z.string(), scripts: z.record(z.string(), z.string()) });
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const git = (...args: string[]): string => execFileSync('git', args, { cwd: repository, encoding: 'utf8' });
const at = (path: string): string => join(repository, path);

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});

async function main(args: string[]): Promise<number> {
  const options = { 'dry-run': { type: 'boolean', default: false }, 'any-branch': { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const [version = '', ...more] = positionals;
  if (version === '' || more.length > 0) throw new Error('Usage: npm run release -- VERSION [--dry-run] [--any-branch]');
  const changelog = await readFile(at(CHANGELOG), 'utf8');
  const { version: present, scripts } = Manifest.parse(JSON.parse(await readFile(at('package.json'), 'utf8')));
  const changed = git('status', '--porcelain', '--untracked-files=all').split('\n').filter(Boolean).map((line) => line.slice(3)); // prettier-ignore
  const facts = { present, changelog, changed, branch: git('branch', '--show-current').trim(), scripts: Object.keys(scripts) };
  const problems = problemsOf(version, facts, { anyBranch: values['any-branch'] });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  // A release that was begun keeps its date.
  const release = releasesOf(changelog).find((one) => one.version === version) ?? { version, date: new Date().toISOString().slice(0, 10) };
  const folder = join('dist', version);
  if (values['dry-run']) {
    print([`Would release ${version}, dated ${release.date}:`, ...stepsOf(release, folder).map((step) => `  ${step}`)].join('\n'));
    return 0;
  }
  await writeVersion(version);
  await writeFile(at(CHANGELOG), withRelease(changelog, release));
  // Only now: the modules that build read the version as they are loaded.
  const { buildRelease } = await import('./build.ts');
  const files = await buildRelease(release, at(folder));
  for (const file of files) print(`${folder}/${file}`);
  const made = spawnSync('npm', ['run', FIXTURE_SCRIPT, '--', version], { cwd: repository, stdio: 'inherit' });
  if (made.status !== 0) throw new Error(`npm run ${FIXTURE_SCRIPT} failed. Mend it, then run npm run release -- ${version} again: it continues.`);
  print(['', `${version} is made. Look at it, then:`, ...nextOf(version, folder, files).map((line) => `  ${line}`)].join('\n'));
  return 0;
}

function stepsOf({ version, date }: Released, folder: string): string[] {
  return [
    `write ${version} to ${VERSIONED.map(({ file }) => file).join(', ')}`,
    `write "[${version}] - ${date}" over what ${CHANGELOG} has under Unreleased`,
    `build the npm packages, the Python package, the list of parts and the checksums in ${folder}/`,
    `npm run ${FIXTURE_SCRIPT} -- ${version}`,
  ];
}

function nextOf(version: string, folder: string, files: readonly string[]): string[] {
  const packed = files.filter((name) => name.endsWith('.tgz')).map((name) => `npm publish --access public ./${folder}/${name}`);
  return [
    `git add -A && git commit -m "release: ${version}"`,
    `git tag -a v${version} -m "svc ${version}"`,
    ...packed,
    `twine upload ${folder}/svc_sdk-${version}*`,
  ];
}
