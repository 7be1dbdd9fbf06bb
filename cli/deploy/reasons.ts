// Why a path is left out of a deploy: the rule that does it, and the file that has the rule.
import { join } from 'node:path';
import { ALWAYS, noRules, USUALLY } from '#contract/wire/source-files.ts';
import { readOwnRules, readRules } from './ignored.ts';

/** `path`: from the project's folder, a folder with a slash at its end. */
export async function whyLeftOut(folder: string, path: string): Promise<string> {
  const always = ruleFor(path, ALWAYS);
  if (always !== undefined) return `${always}, which is never uploaded`;
  // The last word first.
  const own = ruleFor(path, lines(await readOwnRules(folder)));
  if (own !== undefined) return `${own} in .svcignore`;
  const usual = ruleFor(path, USUALLY);
  if (usual !== undefined) return `${usual}, unless .svcignore has !${usual}`;
  const steps = path.replace(/\/$/, '').split('/').slice(0, -1);
  for (let depth = steps.length; depth >= 0; depth -= 1) {
    const below = steps.slice(0, depth).join('/');
    const rule = ruleFor(path.slice(below === '' ? 0 : below.length + 1), lines(await readRules(join(folder, below))));
    if (rule !== undefined) return `${rule} in ${below === '' ? '' : `${below}/`}.gitignore`;
  }
  return 'a rule of git above this folder';
}

/** The last one that leaves it out. */
function ruleFor(path: string, rules: readonly string[]): string | undefined {
  return rules.findLast((rule) => noRules().add(rule).ignores(path));
}

function lines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== ''); // prettier-ignore
}
