// What git would leave out of a folder by rules that are not in it: `.gitignore` of the folders above it up
// to the top of the work tree, `.git/info/exclude`, and what its person ignores everywhere
// (`core.excludesFile`). Read here, not asked of `git ls-files`: rules then count in an archive or a dev box
// too, where there is no git.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { execFile } from 'node:child_process';
import { lstat, readFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { anchored, type GitRules, noRules } from '#contract/wire/source-files.ts';

/** The rules above a folder; without a work tree only those that count everywhere. */
export async function rulesAbove(folder: string): Promise<GitRules> {
  const real = await realpath(folder);
  const [top, everywhere] = [await topOf(real), await rulesEverywhere(real)];
  if (top === undefined) return { ignore: noRules().add(everywhere), prefix: '' };
  // Git's order: a repository's own rules have a later word than its person's.
  const excluded = `${everywhere}\n${await readRules(await gitFolderOf(top), 'info/exclude')}`;
  if (top === real) return { ignore: noRules().add(excluded), prefix: '' };
  const steps = relative(top, real).split(sep);
  const prefix = `${steps.join('/')}/`;
  // Named by a person although its repository ignores it: what says so is not about what is in it.
  const way = steps.map((_, depth) => `${steps.slice(0, depth + 1).join('/')}/`);
  const aboutContent = (line: string): boolean => {
    const single = noRules().add(line);
    return !way.some((folder) => single.ignores(folder));
  };
  const rules = noRules().add(anchored(excluded, '').filter(aboutContent));
  for (const [depth] of steps.entries()) {
    const below = steps.slice(0, depth).join('/');
    rules.add(anchored(await readRules(join(top, below)), below).filter(aboutContent));
  }
  return { ignore: rules, prefix };
}

/**
 * Where git keeps what all work trees of a repository share: in a linked one, and in a submodule, `.git` is a
 * file that says where its own folder is.
 */
async function gitFolderOf(top: string): Promise<string> {
  const own = join(top, '.git');
  const pointer = /^gitdir: (.+)$/m.exec(await readRules(top, '.git'))?.[1];
  if (pointer === undefined) return own;
  const folder = resolve(top, pointer.trim());
  const common = (await readRules(folder, 'commondir')).trim();
  return common === '' ? folder : resolve(folder, common);
}

const excludesFiles = new Map<string, Promise<string>>();

/**
 * Of the file that git's settings name, which are read once for a folder, or of the one that git reads by
 * default. It may be a link.
 */
async function rulesEverywhere(folder: string): Promise<string> {
  const file = excludesFiles.get(folder) ?? excludesFile(folder);
  excludesFiles.set(folder, file);
  return withoutMark(await readFile(await file, 'utf8').catch(() => ''));
}

async function excludesFile(folder: string): Promise<string> {
  const { HOME = homedir(), XDG_CONFIG_HOME = '' } = process.env;
  const usual = join(XDG_CONFIG_HOME === '' ? join(HOME, '.config') : XDG_CONFIG_HOME, 'git/ignore');
  // It fails where the setting is absent, and where there is no git.
  const named = await promisify(execFile)('git', ['config', '-z', '--path', '--get', 'core.excludesFile'], { cwd: folder }).catch(() => undefined);
  return named === undefined ? usual : resolve(folder, named.stdout.replace(/\0$/, ''));
}

/** The project's own rules; they may be a link. */
export async function readOwnRules(folder: string): Promise<string> {
  return withoutMark(await readFile(join(folder, '.svcignore'), 'utf8').catch(() => ''));
}

/** Git reads no rules through a link. */
export async function readRules(folder: string, name = '.gitignore'): Promise<string> {
  const file = join(folder, name);
  const about = await lstat(file).catch(() => undefined);
  return about?.isFile() ? withoutMark(await readFile(file, 'utf8')) : '';
}

async function topOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await lstat(join(at, '.git')).catch(() => undefined)) return at;
    if (dirname(at) === at) return undefined;
  }
}
