// What the TypeScript compiler prints, as problems of a project.
import { readFile } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { Problem } from '../problem.ts';

/** A module or its types: loading it says so where it matters, and finds more than a compiler. */
const NOT_FOUND = [2307, 2580, 2584, 2591, 2688, 2792, 2834, 2835, 7016];
const NOT_USED = [6133, 6138, 6192, 6196, 6198, 6199];
const NO_FAULT = new Set([...NOT_FOUND, ...NOT_USED]);
/** Follows where types are not found: what comes of such a module has none. */
const follows = (code: number): boolean => (code >= 7005 && code <= 7053) || code === 18046 || code === 2571;
const PACKAGE_NOT_INSTALLED = /^Cannot find module '(?!\.|node:)/;
const LINE = /^(.+?)\((\d+),(\d+)\): error TS(\d+): (.*)$/;
/** Lines of a call of skill() between its start and a result. */
const ABOVE = 60;

/** It is the configuration that is wrong. */
export const isAboutProject = (line: string): boolean => /^error TS\d+:/.test(line) || /tsconfig[^/]*\.json\(\d+,\d+\): error TS/.test(line);

interface Found {
  file: string;
  line: number;
  column: number;
  code: number;
  message: string;
  /** Of the indented lines below, the last: what is at the bottom of it. */
  reason?: string;
}

/** Undefined: it could not check. */
export async function problemsIn(output: readonly string[], folder: string): Promise<Problem[] | undefined> {
  const found: Found[] = [];
  let last: Found | undefined;
  let general: string | undefined;
  let heard = false;
  let isMissing = false;
  // Loading them says so; what is said of their types means little.
  const incomplete = new Set<string>();
  for (const text of output) {
    const [, path, line, column, code, message] = LINE.exec(text) ?? [];
    if (path !== undefined && message !== undefined) {
      heard = true;
      last = undefined;
      const file = resolve(folder, path);
      isMissing ||= NOT_FOUND.includes(Number(code));
      if (PACKAGE_NOT_INSTALLED.test(message)) incomplete.add(file);
      if (NO_FAULT.has(Number(code)) || !file.startsWith(folder + sep) || file.includes(`${sep}node_modules${sep}`)) continue;
      last = { file, line: Number(line), column: Number(column), code: Number(code), message };
      found.push(last);
    } else if (/^\s+\S/.test(text)) {
      if (last) last.reason = text.trim();
    } else if (text.startsWith('error TS')) {
      general ??= text.slice('error '.length);
    }
  }
  if (general !== undefined && found.length === 0) return [{ file: resolve(folder, 'tsconfig.json'), message: general }];
  const faults = found.filter(({ file, code }) => !incomplete.has(file) && !(isMissing && follows(code)));
  return heard ? await Promise.all(faults.map(problemOf)) : undefined;
}

async function problemOf({ file, line, column, message, reason }: Found): Promise<Problem> {
  const place = { file, line, column };
  const isResult = /^(?:Type|Argument of type) '(?:Promise<|\(ctx|\(_ctx|\(\) =>|\().*(?:Promise<|SkillHandler<)/.test(message);
  if (isResult && (await isInSkill(file, line))) return { ...place, message: `${reason ?? message} The handler must return what its output says` };
  return { ...place, message: reason === undefined ? message : `${message} ${reason}` };
}

async function isInSkill(file: string, line: number): Promise<boolean> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.slice(Math.max(0, line - ABOVE), line).some((text) => /\bskill\(/.test(text));
}
