// What paths look like, as a JSON Schema says it: regular expressions without look-around and named classes,
// which every validator reads alike. The rules themselves are in patterns.ts; they also know lengths and
// Unicode forms.
const NEVER = String.raw`\/\\\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`;

/** Segments that are neither empty nor "." nor "..", of any characters but `not`. */
function segments(not: string): string {
  const any = `[^${not}]`;
  const undotted = `[^.${not}]`;
  const segment = String.raw`(?:${undotted}${any}*|\.${undotted}${any}*|\.\.${any}+)`;
  return String.raw`${segment}(?:\/${segment})*`;
}

/** In globs: `**` as a whole segment, else no two stars in a row. */
function globs(): string {
  const [any, undotted] = [`[^*${NEVER}]`, `[^.*${NEVER}]`];
  const segment = String.raw`(?:\*\*|(?:\*|${undotted}\*?|\.\*|\.${undotted}\*?|\.\.\*|\.\.${any}\*?)(?:${any}\*?)*)`;
  return String.raw`${segment}(?:\/${segment})*`;
}

const inPath = `*?${NEVER}`;

export const PATH_SYNTAX = `^${segments(inPath)}$`;
/** A folder, with or without a slash at its end. */
export const FOLDER_SYNTAX = String.raw`^${segments(inPath)}\/?$`;
/** What paths begin with. */
export const PATH_START_SYNTAX = String.raw`^(?:${segments(inPath)}\/)?[^${inPath}]*$`;
export const GLOB_SYNTAX = `^${globs()}$`;
/** As a path, but of any characters. */
export const KEY_SYNTAX = `^${segments(String.raw`\/`)}$`;
