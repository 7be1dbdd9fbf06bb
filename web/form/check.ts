// Checks a value against its schema in the browser, before the platform does. Without eval: the content
// security policy forbids it.
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { referenceSteps } from '#contract/wire/json-pointer.ts';
import { REQUIRED, humanized, worded } from '#contract/wire/wording.ts';
import type { FormIssue, Path } from './issues.ts';
import { isObject, type JsonSchema, memberOf } from './schema.ts';

/** Nothing where the schema is none that can be checked: the platform has the last word. */
export function check(schema: JsonSchema, value: unknown): FormIssue[] {
  if (value === undefined) return [{ path: [], message: REQUIRED }];
  try {
    const { errors } = new Validator(asSchema(checkable(schema)), '2020-12', false).validate(value);
    return unique(withoutOtherBranches(errors).flatMap((error) => issuesOf(error, schema, value)));
  } catch {
    return [];
  }
}

// Safe: the validator takes any JSON; what it does not know it leaves out.
function asSchema(schema: unknown): Schema {
  return schema as Schema;
}

/**
 * Patterns that no browser reads are left out; `$id` and `$schema` too: references are those of one document.
 */
function checkable(schema: unknown, isMembers = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => checkable(one));
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).filter(
    ([key, value]) => isMembers || !((key === 'pattern' && !isPattern(value)) || key === '$id' || key === '$schema'),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, !isMembers && LITERAL.has(key) ? value : checkable(value, !isMembers && MEMBERS.has(key))]));
}

const LITERAL = new Set(['const', 'enum', 'default', 'examples', 'required']);
const MEMBERS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependentRequired']);

function isPattern(pattern: unknown): boolean {
  try {
    return typeof pattern === 'string' && new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** Of a union that nothing fits, only what keeps the nearest branch from fitting. */
function withoutOtherBranches(errors: readonly OutputUnit[]): OutputUnit[] {
  let left = [...errors];
  for (const union of errors) {
    if (union.keyword !== 'anyOf' && union.keyword !== 'oneOf') continue;
    const within = (one: OutputUnit): string | undefined => {
      const prefix = `${union.keywordLocation}/`;
      const isBelow = one.keywordLocation.startsWith(prefix) && isAtOrBelow(one.instanceLocation, union.instanceLocation);
      return isBelow ? one.keywordLocation.slice(prefix.length).split('/')[0] : undefined;
    };
    const branches = Map.groupBy(
      left.filter((one) => within(one) !== undefined),
      within,
    );
    const near = [...branches].toSorted(([, a], [, b]) => distance(a, union) - distance(b, union))[0];
    if (near === undefined) continue;
    // Nothing of the right type: then the union says more than one of its branches.
    const keepsUnion = distance(near[1], union) >= FAR && branches.size > 1;
    left = left.filter((one) => (one === union ? keepsUnion : within(one) === undefined || (!keepsUnion && within(one) === near[0])));
  }
  return left;
}

const FAR = 1000;

function distance(errors: readonly OutputUnit[], union: OutputUnit): number {
  return errors.reduce((sum, { keyword, instanceLocation }) => {
    const isHere = instanceLocation === union.instanceLocation;
    if (isHere && (keyword === 'type' || keyword === 'const' || keyword === 'enum')) return sum + FAR;
    return sum + (keyword === 'const' ? 50 : 1);
  }, 0);
}

const isAtOrBelow = (at: string, above: string): boolean => at === above || at.startsWith(`${above}/`);

/** Errors that only say that something below is wrong. */
const OUTER = new Set(['$ref', 'properties', 'items', 'prefixItems', 'allOf', 'if', 'dependentSchemas', 'patternProperties', '$recursiveRef', '$dynamicRef']);
const OUTER_UNLESS_FALSE = new Set(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'additionalItems']);

function issuesOf({ keyword, keywordLocation, instanceLocation, error }: OutputUnit, schema: JsonSchema, whole: unknown): FormIssue[] {
  if (OUTER.has(keyword) || OUTER_UNLESS_FALSE.has(keyword)) return [];
  const path = pathOf(instanceLocation);
  const [, name] = /(?:required property|does not have) "([\s\S]*)"\.$/.exec(error) ?? [];
  if ((keyword === 'required' || keyword === 'dependentRequired') && name !== undefined) {
    const [, cause] = keyword === 'dependentRequired' ? (/^Instance has "([\s\S]*)" but/.exec(error) ?? []) : [];
    return [{ path: [...path, name], message: cause === undefined ? REQUIRED : `Required where ${humanized(cause)} is given` }];
  }
  const owner = valueAt(keywordLocation.slice(0, keywordLocation.lastIndexOf('/')), schema);
  const known = keyword === 'false' ? { false: true } : isObject(owner) ? owner : {};
  return [{ path, message: worded(keyword, known, memberAt(whole, path)) ?? error }];
}

function pathOf(location: string): Path {
  return (referenceSteps(location) ?? []).map((step) => (/^(?:0|[1-9]\d*)$/.test(step) ? Number(step) : step));
}

/** What the schema says at a place that an error names; references are followed as it went. */
function valueAt(location: string, root: JsonSchema): unknown {
  let at: unknown = root;
  for (const step of referenceSteps(location) ?? []) {
    if (step === '$ref') {
      const reference = memberOf(at, '$ref');
      at = typeof reference === 'string' && reference.startsWith('#') ? valueAt(reference, root) : undefined;
    } else at = Array.isArray(at) ? at[Number(step)] : memberOf(at, step);
  }
  return at;
}

function memberAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, step) => (Array.isArray(at) ? at[Number(step)] : memberOf(at, String(step))), value);
}

function unique(issues: readonly FormIssue[]): FormIssue[] {
  const seen = new Set<string>();
  return issues.filter((issue) => {
    const key = JSON.stringify(issue);
    return !seen.has(key) && seen.add(key);
  });
}
