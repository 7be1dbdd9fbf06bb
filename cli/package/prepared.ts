// What the tool says without being loaded: help pages, completion and version, written when the package is
// built.
import { readFileSync } from 'node:fs';
import { groupNamed } from '../parser/groups.ts';

export interface Prepared {
  version: string;
  /** By the words of a command or a topic; '' is the whole tool. */
  pages: Record<string, string>;
  /** By shell. */
  completion: Record<string, string>;
}

/** The answer to a command line; undefined where the tool itself must give it. */
export function answerTo(argv: readonly string[], { version, pages, completion }: Prepared): string | undefined {
  const [first, second, ...more] = argv;
  if (argv.length === 1 && ['--version', '-V', '-v', 'version'].includes(first ?? '')) return `${version}\n`;
  if (first === 'completion' && second !== undefined && more.length === 0) return own(completion, second);
  const last = argv.at(-1);
  const words = first === 'help' ? argv.slice(1) : last === '--help' || last === '-h' ? argv.slice(0, -1) : argv.length === 0 ? argv : undefined;
  // A group's page names all its commands: the tool itself writes it.
  const page = words && !(first === 'help' && groupNamed(second)) ? own(pages, words.join(' ')) : undefined;
  return page;
}

function own(texts: Record<string, string>, key: string): string | undefined {
  return Object.hasOwn(texts, key) ? texts[key] : undefined;
}

/** As help.ts has it, which would bring the whole tool. */
const PAGE_WIDTH = 96;

/** Whether the command line was answered. Called by bin.mjs. */
export function answered(): boolean {
  // A narrow window's pages are laid out by the tool itself.
  if (process.stdout.isTTY && process.stdout.columns < PAGE_WIDTH) return false;
  // Safe: the package's own file, written beside this one.
  const prepared = JSON.parse(readFileSync(new URL('./prepared.json', import.meta.url), 'utf8')) as Prepared;
  const answer = answerTo(process.argv.slice(2), prepared);
  if (answer === undefined) return false;
  // A reader that has seen enough (`svc --help | head`) is no failure.
  process.stdout.on('error', () => process.exit(0));
  process.stdout.write(answer);
  return true;
}
