// What rules look at: the text files of a project, line by line, with the card of the agent that was built
// from it.
import type { AgentCard } from '#contract/wire/card.ts';
import type { Manifest } from '#contract/wire/manifest.ts';
import type { ProjectFile } from '../../agents/source/pack.ts';
import type { Advisories } from './advisories.ts';

export interface SourceFile {
  path: string;
  lines: readonly string[];
  /** It does not run in production: its values are examples. */
  test: boolean;
  /** Written by a program; only the rules of lock files read it. */
  generated: boolean;
}

export interface ReviewedProject {
  files: readonly SourceFile[];
  /** Of every file, also of those that are no text. */
  paths: readonly string[];
  card: AgentCard;
  manifest: Manifest;
  /** When a review first saw the lock file as it is now; undefined: there is none, or this is the first. */
  lockSince?: Date | undefined;
  advisories?: Advisories | undefined;
  now: Date;
}

/** A larger file is data, or written by a program. */
export const maxReviewedBytes = 1024 * 1024;
/** Of a line; what is behind is not read: rules stay linear. */
const maxLine = 2_000;
const maxLines = 20_000;

const TEST =
  /(?:^|\/)(?:tests?|__tests__|testdata|fixtures?|mocks?|__mocks__|examples?|e2e)\/|(?:\.|_|-)(?:test|spec)\.[a-z]+$|(?:^|\/)test_[^/]*\.py$|(?:^|\/)conftest\.py$/i;
const GENERATED =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|bun\.lockb?|pnpm-lock\.yaml|yarn\.lock|uv\.lock|poetry\.lock|Cargo\.lock|go\.sum)$|\.(?:min\.js|map|svg)$/;

/** The text files among them. */
export function sourceFiles(files: readonly ProjectFile[]): SourceFile[] {
  return files.flatMap(({ path, content }) => {
    const bytes = Buffer.from(content);
    if (bytes.length > maxReviewedBytes * (GENERATED.test(path) ? 8 : 1) || bytes.includes(0)) return [];
    const generated = GENERATED.test(path);
    const lines = bytes.toString('utf8').split(/\r?\n/);
    return [{ path, lines: generated ? lines : lines.slice(0, maxLines).map((line) => line.slice(0, maxLine)), test: TEST.test(path), generated }];
  });
}

/** Files that a person wrote and that run. */
export function written(project: ReviewedProject): SourceFile[] {
  return project.files.filter(({ test, generated }) => !test && !generated);
}

const CODE = /\.(?:ts|tsx|mts|cts|js|jsx|mjs|cjs|py|go|rs)$/;

export function code(project: ReviewedProject): SourceFile[] {
  return written(project).filter(({ path }) => CODE.test(path));
}

export interface CodeLocation {
  path: string | null;
  line: number | null;
}

/** The first place in the code that matches: where the author wrote what the card says. */
export function locateInCode(project: ReviewedProject, pattern: RegExp): CodeLocation {
  for (const { path, lines } of code(project)) {
    const at = lines.findIndex((line) => pattern.test(line));
    if (at >= 0) return { path, line: at + 1 };
  }
  return { path: null, line: null };
}
