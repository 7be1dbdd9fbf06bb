// JSON Schemas of other people's agents. The card keeps what they say; what could hold up a reader is refused
// or left out.
import { atReference } from '#contract/wire/json-pointer.ts';
import { RemoteFault } from './port.ts';

type Schema = Record<string, unknown>;

const MAX_LENGTH = 64 * 1024;
const MAX_DEPTH = 32;
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];
/** Members and elements, with every reference followed. */
const MAX_EXPANDED = 20_000;

/**
 * Patterns are left out: another program's regular expression can take hours on the right text, and the agent
 * checks its arguments itself.
 * @throws RemoteFault remote_card_invalid
 */
export function checkedSchema(value: unknown, what: string): Schema {
  if (!isSchema(value)) throw invalid(`${what} is not a JSON Schema`);
  if (JSON.stringify(value).length > MAX_LENGTH) throw invalid(`${what} is longer than ${MAX_LENGTH} characters`);
  if (depthOf(value) > MAX_DEPTH) throw invalid(`${what} is nested more than ${MAX_DEPTH} deep`);
  if (expandedSize(value) > MAX_EXPANDED) throw invalid(`${what} has more than ${MAX_EXPANDED} parts once its references are followed`);
  const schema = withoutPatterns(value);
  return isSchema(schema) ? schema : {};
}

/** Of arguments: always an object. @throws RemoteFault remote_card_invalid */
export function checkedInputSchema(value: unknown, what: string): Schema {
  const schema = checkedSchema(value, what);
  if (schema['type'] !== 'object') throw invalid(`${what} is not of type "object"`);
  return { ...schema, properties: isSchema(schema['properties']) ? schema['properties'] : {} };
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** Each definition is counted once and then known; one that contains itself counts as one part there. */
function expandedSize(root: Schema): number {
  const known = new Map<string, number>();
  const named = namesIn(root);
  const size = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 1;
    let sum = 1;
    for (const member of Object.values(value)) sum += size(member);
    const to = isSchema(value) ? REFERENCES.map((keyword) => value[keyword]) : [];
    for (const one of to) if (typeof one === 'string') sum += ofReference(one);
    return sum;
  };
  const ofReference = (to: string): number => {
    const counted = known.get(to);
    if (counted !== undefined) return counted;
    known.set(to, 1);
    const target = named.get(to) ?? atReference(root, to);
    // The whole document from within it: it contains itself.
    const sum = target === undefined || target === root ? 1 : size(target);
    known.set(to, sum);
    return sum;
  };
  return size(root);
}

/** What references reach by a name: `#anchor`, and the address of an `$id`. */
function namesIn(value: unknown, into = new Map<string, Schema>()): Map<string, Schema> {
  if (typeof value !== 'object' || value === null) return into;
  if (isSchema(value)) {
    const { $anchor, $dynamicAnchor, $id } = value;
    for (const anchor of [$anchor, $dynamicAnchor]) if (typeof anchor === 'string') into.set(`#${anchor}`, value);
    if (typeof $id === 'string') into.set($id, value);
  }
  for (const member of Object.values(value)) namesIn(member, into);
  return into;
}

/** Members named `pattern` of `properties` are arguments of that name, and stay. */
function withoutPatterns(value: unknown, names = false): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutPatterns(one));
  if (!isSchema(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
      if (!names && (key === 'pattern' || key === 'patternProperties')) return [];
      // Values, not schemas.
      if (!names && (key === 'enum' || key === 'const' || key === 'default' || key === 'examples')) return [[key, member]];
      return [[key, withoutPatterns(member, !names && (key === 'properties' || key === '$defs' || key === 'definitions'))]];
    }),
  );
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(message: string): RemoteFault {
  return new RemoteFault('remote_card_invalid', message);
}
