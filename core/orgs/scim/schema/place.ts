// From the path of an attribute, as clients write it, to the attribute: names in any case, with or without
// the URN of their schema.
import { type Attribute, COMMON, type ResourceKind } from './attribute.ts';

export interface AttributePath {
  /** URN of the extension that the attribute belongs to; undefined: the resource itself. */
  extension: string | undefined;
  attribute: Attribute;
  sub: Attribute | undefined;
}

/**
 * `name.familyName`, `urn:…:User:userName`, `urn:…:enterprise:2.0:User:manager.value`; Entra and others write
 * `manager` without the URN too. Undefined for what there is not.
 */
export function parseAttributePath(kind: ResourceKind, path: string): AttributePath | undefined {
  const { extension: written, rest } = withoutSchema(kind, path);
  const [name = '', sub, ...more] = rest.split('.');
  if (more.length > 0) return undefined;
  const own = written === undefined ? attributeNamed([...COMMON, ...kind.schema.attributes], name) : undefined;
  const extension = own ? undefined : kind.extension?.id;
  const attribute = own ?? attributeNamed(kind.extension?.attributes ?? [], name);
  if (!attribute) return undefined;
  if (sub === undefined) return { extension, attribute, sub: undefined };
  const subAttribute = attributeNamed(attribute.subAttributes ?? [], sub);
  return subAttribute && { extension, attribute, sub: subAttribute };
}

/** True for the URN of the extension itself, whose value is an object of its attributes. */
export function isExtension(kind: ResourceKind, path: string): boolean {
  return kind.extension !== undefined && path.toLowerCase() === kind.extension.id.toLowerCase();
}

function withoutSchema(kind: ResourceKind, path: string): { extension: string | undefined; rest: string } {
  const lower = path.toLowerCase();
  for (const schema of [kind.extension, kind.schema]) {
    if (schema && lower.startsWith(`${schema.id.toLowerCase()}:`))
      return { extension: schema === kind.schema ? undefined : schema.id, rest: path.slice(schema.id.length + 1) };
  }
  return { extension: undefined, rest: path };
}

export function attributeNamed(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const lower = name.toLowerCase();
  return attributes.find((one) => one.name.toLowerCase() === lower);
}

/** Of an attribute that holds several values and is named without a part: its `value`. */
export function valuePart({ attribute, sub }: AttributePath): Attribute | undefined {
  return sub ?? (attribute.type === 'complex' ? attributeNamed(attribute.subAttributes ?? [], 'value') : undefined);
}
