// Which operations of a description the caller wants, by tag, method, expression and name.
import { BadDescription } from './document.ts';
import type { OperationFilter, Options } from './model.ts';

interface Choosable {
  name: string;
  method: string;
  path: string;
  operationId: string | undefined;
  tags: readonly string[];
}

export function isEmpty({ tags, methods, match, names }: OperationFilter): boolean {
  return tags.length === 0 && methods.length === 0 && match === undefined && names.length === 0;
}

/**
 * All where nothing is named; those that fit tags, methods and expression together, and those that are named.
 */
export function chooseOperations<T extends Choosable>(all: readonly T[], choice: OperationFilter): T[] {
  if (isEmpty(choice)) return [...all];
  const { tags, methods, match, names } = choice;
  const expression = match === undefined ? undefined : expressionOf(match);
  const wanted = new Set(names);
  const anyRule = tags.length > 0 || methods.length > 0 || expression !== undefined;
  return all.filter((one) => {
    if (wanted.has(one.name) || (one.operationId !== undefined && wanted.has(one.operationId))) return true;
    if (!anyRule) return false;
    const line = `${one.method} ${one.path} ${one.name}`;
    return (
      (tags.length === 0 || one.tags.some((tag) => tags.includes(tag))) &&
      (methods.length === 0 || methods.includes(one.method)) &&
      (expression?.test(line) ?? true)
    );
  });
}

/** It is misspelled, or of another version of the API. */
export function warnOfUnknown(all: readonly Choosable[], { include, pins }: Options, warnings: Set<string>): void {
  const [names, tags] = [new Set(all.flatMap(({ name, operationId = name }) => [name, operationId])), new Set(all.flatMap((one) => one.tags))];
  for (const { names: wantedNames, tags: wantedTags } of [include, pins]) {
    for (const name of wantedNames.filter((one) => !names.has(one)).slice(0, 5)) warnings.add(`No operation is named ${name.slice(0, 100)}`);
    for (const tag of wantedTags.filter((one) => !tags.has(one)).slice(0, 5)) warnings.add(`No operation has the tag ${tag.slice(0, 100)}`);
  }
}

/** @throws BadDescription */
function expressionOf(match: string): RegExp {
  try {
    return new RegExp(match, 'i');
  } catch {
    throw new BadDescription(`match is no regular expression: ${match.slice(0, 100)}`);
  }
}
