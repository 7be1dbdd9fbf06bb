// The values of a document by which users are looked up: a row each, beside the row of the user.
import { type Attribute, type Document, fold } from '../schema/attribute.ts';
import { ENTERPRISE, USERS } from '../schema/user.ts';

export interface Value {
  attribute: string;
  element: number;
  value: string;
}

/** Columns of the user's own row hold these. */
const IN_COLUMNS = new Set(['externalId', 'userName', 'active']);

/** `emails.value`, `enterprise:department`. */
export function attributeKey(extension: string | undefined, attribute: string, part?: string): string {
  return `${extension === undefined ? '' : 'enterprise:'}${attribute}${part === undefined ? '' : `.${part}`}`;
}

/**
 * An attribute with several values has one more row for each, without a part: the values themselves, whatever
 * parts they have.
 */
export function valuesOf(document: Document): Value[] {
  const own = USERS.schema.attributes.filter(({ name }) => !IN_COLUMNS.has(name));
  const enterprise: Document = { ...Object(document[ENTERPRISE] ?? {}) };
  return [
    ...own.flatMap((attribute) => ofAttribute(undefined, attribute, document[attribute.name])),
    ...(USERS.extension?.attributes ?? []).flatMap((attribute) => ofAttribute(ENTERPRISE, attribute, enterprise[attribute.name])),
  ];
}

function ofAttribute(extension: string | undefined, attribute: Attribute, value: unknown): Value[] {
  if (value === undefined) return [];
  if (attribute.type !== 'complex') return [{ attribute: attributeKey(extension, attribute.name), element: 0, value: textOf(attribute, value) }];
  return [value].flat().flatMap((one, element) => [
    ...(attribute.multiValued ? [{ attribute: attributeKey(extension, attribute.name), element, value: '' }] : []),
    ...(attribute.subAttributes ?? []).flatMap((part) => {
      const partValue: unknown = Reflect.get(Object(one), part.name);
      return partValue === undefined ? [] : [{ attribute: attributeKey(extension, attribute.name, part.name), element, value: textOf(part, partValue) }];
    }),
  ]);
}

function textOf(attribute: Attribute, value: unknown): string {
  const text = String(value);
  return attribute.caseExact ? text : fold(text);
}
