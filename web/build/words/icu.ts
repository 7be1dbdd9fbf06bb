// Messages as ICU MessageFormat says them, read by the parser of FormatJS; and whether a translation has all
// that its message has.
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';

export type Element = MessageFormatElement;

export const read = (text: string): Element[] => parse(text, { requiresOtherClause: true });

/** What is wrong with a translation; undefined: nothing. @param code of the language */
export function faultOf(english: string, translation: string, code: string): string | undefined {
  let elements: Element[];
  try {
    elements = read(translation);
  } catch (error) {
    return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  const [wanted, given] = [namesIn(read(english)), namesIn(elements)];
  const unknown = [...given.all].filter((name) => !wanted.all.has(name));
  if (unknown.length > 0) return `has ${unknown.join(', ')}, which the English does not have`;
  const missing = [...wanted.always].filter((name) => !given.all.has(name));
  if (missing.length > 0) return `lacks ${missing.join(', ')}`;
  const twice = given.tags.find((name, at) => given.tags.indexOf(name) !== at);
  if (twice !== undefined) return `has <${twice}> twice`;
  const forms: readonly string[] = new Intl.PluralRules(code).resolvedOptions().pluralCategories;
  const noForm = [...given.forms].find((form) => !form.startsWith('=') && !forms.includes(form));
  return noForm === undefined ? undefined : `has the plural form "${noForm}": ${code} has ${forms.join(', ')}`;
}

interface NamesIn {
  all: Set<string>;
  /** Not only in one of several forms. A number may be left to the words of a form: "one run". */
  always: Set<string>;
  /** Outside of forms. */
  tags: string[];
  forms: Set<string>;
}

function namesIn(elements: readonly Element[]): NamesIn {
  const names: NamesIn = { all: new Set(), always: new Set(), tags: [], forms: new Set() };
  visit(elements, names, true);
  return names;
}

/** @param counted the number that "#" stands for */
function visit(elements: readonly Element[], names: NamesIn, isAlways: boolean, counted?: string): void {
  for (const element of elements) {
    if (element.type === TYPE.pound && counted !== undefined) names.all.add(`{${counted}}`);
    const name = nameOf(element);
    if (name === undefined) continue;
    names.all.add(name);
    if (isAlways) names.always.add(name);
    if (element.type === TYPE.tag) {
      if (isAlways) names.tags.push(element.value);
      visit(element.children, names, isAlways, counted);
    } else if (element.type === TYPE.plural || element.type === TYPE.select) {
      if (element.type === TYPE.plural) for (const form of Object.keys(element.options)) names.forms.add(form);
      const by = element.type === TYPE.plural ? element.value : counted;
      for (const { value } of Object.values(element.options)) visit(value, names, false, by);
    }
  }
}

function nameOf(element: Element): string | undefined {
  switch (element.type) {
    case TYPE.literal:
    case TYPE.pound:
      return undefined;
    case TYPE.tag:
      return `<${element.value}>`;
    case TYPE.plural:
      return `{${element.value}, plural}`;
    case TYPE.select:
      return `{${element.value}, select}`;
    default:
      return `{${element.value}}`;
  }
}
