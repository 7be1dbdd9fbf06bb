// Issues of a form and the parts they stand at.
import { pathWords } from '#contract/wire/wording.ts';

export interface FormIssue {
  /** In the value: member names and list positions. */
  path: readonly (string | number)[];
  message: string;
}

export type Path = readonly (string | number)[];

/**
 * At this place itself, with those below that no part of the form shows. @param isDrawn whether a member or
 * an item has a part of its own
 */
export function issuesAt(issues: readonly FormIssue[], path: Path, isDrawn: (step: string | number) => boolean): string[] {
  const messages = issues
    .filter((issue) => isWithin(issue.path, path))
    .flatMap(({ path: at, message }) => {
      const [step] = at.slice(path.length);
      if (step === undefined) return [message];
      return isDrawn(step) ? [] : [`${pathWords(at.slice(path.length))}: ${message}`];
    });
  return [...new Set(messages)];
}

function isWithin(path: Path, outer: Path): boolean {
  return outer.length <= path.length && outer.every((step, at) => String(step) === String(path[at]));
}

/** As one text; a long list is cut. */
export function issueText(messages: readonly string[]): string | undefined {
  if (messages.length === 0) return undefined;
  const shown = messages.slice(0, 4).join('. ');
  return messages.length > 4 ? `${shown} … and ${messages.length - 4} more` : shown;
}
