import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadRequest } from '../../../kernel/errors.ts';
import { readResource } from '../document/read.ts';
import type { Document } from '../schema/attribute.ts';
import { ENTERPRISE, USERS } from '../schema/user.ts';
import { applyChange } from './apply.ts';
import { changesOf, type PatchOperation, operationsOf } from './changes.ts';

function patched(before: Document, ...operations: PatchOperation[]): Document {
  const document = structuredClone(before);
  for (const change of changesOf(USERS, operations)) applyChange(document, change);
  return document;
}

const code = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof BadRequest) return error.code;
    throw error;
  }
  return 'done';
};

const ada: Document = {
  userName: 'ada',
  active: true,
  name: { givenName: 'Ada', familyName: 'Byron' },
  emails: [
    { value: 'ada@acme.example', type: 'work', primary: true },
    { value: 'ada@home.example', type: 'home' },
  ],
};

describe("Entra's dialect", () => {
  it.each<[string, PatchOperation, Document]>([
    ['a capital op and a boolean as text', { op: 'Replace', path: 'active', value: 'False' }, { active: false }],
    ['an add of an attribute', { op: 'Add', path: 'nickName', value: 'Countess' }, { nickName: 'Countess' }],
    ['a part of a value', { op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@acme.example' }, { emails: [{ value: 'new@acme.example', type: 'work', primary: true }, { value: 'ada@home.example', type: 'home' }] }],
    ['a part of a value that does not exist', { op: 'Replace', path: 'phoneNumbers[type eq "mobile"].value', value: '+43 1' }, { phoneNumbers: [{ type: 'mobile', value: '+43 1' }] }],
    ['a filter with a boolean as text', { op: 'Add', path: 'emails[primary eq "True"].value', value: 'p@acme.example' }, { emails: [{ value: 'p@acme.example', type: 'work', primary: true }, { value: 'ada@home.example', type: 'home' }] }],
    ['the path of an extension', { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Engines' }, { [ENTERPRISE]: { department: 'Engines' } }],
    ['a manager as text', { op: 'Add', path: `${ENTERPRISE}:manager`, value: 'u17' }, { [ENTERPRISE]: { manager: { value: 'u17' } } }],
    ['dotted and URN keys without a path', { op: 'replace', value: { displayName: 'A.', 'name.givenName': 'Augusta', [`${ENTERPRISE}:employeeNumber`]: '7' } }, { displayName: 'A.', name: { givenName: 'Augusta', familyName: 'Byron' }, [ENTERPRISE]: { employeeNumber: '7' } }],
    ['keys with a filter without a path', { op: 'add', value: { 'emails[type eq "work"].value': 'k@acme.example' } }, { emails: [{ value: 'k@acme.example', type: 'work', primary: true }, { value: 'ada@home.example', type: 'home' }] }],
    ['the URN of the core schema before a name', { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:title', value: 'Dr' }, { title: 'Dr' }],
  ])('%s', (_, operation, expected) => {
    expect(patched(ada, operation)).toEqual({ ...ada, ...expected });
  }); // prettier-ignore
});

describe("Okta's dialect", () => {
  it('has no path and sends what it was sent', () => {
    expect(patched(ada, { op: 'replace', value: { active: false } })).toEqual({ ...ada, active: false });
    expect(patched(ada, { op: 'replace', value: { id: 'scu_x', schemas: [], meta: {}, groups: [], password: 'pw', unknown: 1, active: true } })).toEqual(ada);
  });
});

describe('a list', () => {
  it('takes what is not in it, and keeps one primary value', () => {
    const added = patched(ada, {
      op: 'add',
      path: 'emails',
      value: [
        { value: 'n@x.example', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    });
    expect(added['emails']).toEqual([
      { value: 'ada@acme.example', type: 'work', primary: false },
      { value: 'ada@home.example', type: 'home' },
      { value: 'n@x.example', primary: true },
    ]);
  });
  it('loses values by a filter, by what they are, and all', () => {
    const home = [{ value: 'ada@home.example', type: 'home' }];
    expect(patched(ada, { op: 'remove', path: 'emails[value eq "ADA@acme.example"]' })['emails']).toEqual(home);
    expect(patched(ada, { op: 'Remove', path: 'emails', value: [{ value: 'Ada@acme.example' }] })['emails']).toEqual(home);
    expect(patched(ada, { op: 'remove', path: 'emails[not (type eq "home")]' })['emails']).toEqual(home);
    expect(patched(ada, { op: 'remove', path: 'emails' })).not.toHaveProperty('emails');
    expect(patched(ada, { op: 'remove', path: 'emails[type pr]' })).not.toHaveProperty('emails');
    expect(patched(ada, { op: 'remove', path: 'emails[type eq "none"]' })).toEqual(ada);
    expect(patched(ada, { op: 'remove', path: 'emails.type' })['emails']).toEqual([
      { value: 'ada@acme.example', primary: true },
      { value: 'ada@home.example' },
    ]);
  });
  it('is replaced', () => {
    expect(patched(ada, { op: 'replace', path: 'emails', value: [{ value: 'x@y.example' }] })['emails']).toEqual([{ value: 'x@y.example' }]);
    expect(patched(ada, { op: 'replace', path: 'emails', value: [] })).not.toHaveProperty('emails');
    expect(patched(ada, { op: 'replace', path: 'emails[type eq "home"]', value: { value: 'h@y.example' } })['emails']).toMatchObject([
      {},
      { value: 'h@y.example' },
    ]);
  });
});

it('refuses with the word of the protocol', () => {
  const refused = (operation: PatchOperation): string => code(() => patched(ada, operation));
  expect(refused({ op: 'replace', path: 'nothing', value: 1 })).toBe('scim_path_invalid');
  expect(refused({ op: 'replace', path: 'name.nothing', value: 'x' })).toBe('scim_path_invalid');
  expect(refused({ op: 'replace', path: 'emails[type eq "work"', value: 'x' })).toBe('scim_path_invalid');
  expect(refused({ op: 'replace', path: 'title[type eq "work"]', value: 'x' })).toBe('scim_path_invalid');
  expect(refused({ op: 'replace', path: 'emails[kind eq "work"].value', value: 'x' })).toBe('scim_filter_invalid');
  expect(refused({ op: 'replace', path: 'emails[type is "work"].value', value: 'x' })).toBe('scim_filter_invalid');
  expect(refused({ op: 'replace', path: 'emails[type eq "none"]', value: { value: 'x' } })).toBe('scim_no_target');
  expect(refused({ op: 'replace', path: 'emails[type sw "none"].value', value: 'x' })).toBe('scim_no_target');
  expect(refused({ op: 'remove' })).toBe('scim_no_target');
  expect(refused({ op: 'replace', path: 'id', value: 'x' })).toBe('scim_attribute_read_only');
  expect(refused({ op: 'add', path: 'groups', value: [{ value: 'x' }] })).toBe('scim_attribute_read_only');
  expect(refused({ op: 'replace', path: 'meta.version', value: 'x' })).toBe('scim_attribute_read_only');
  expect(refused({ op: 'remove', path: 'userName' })).toBe('scim_attribute_read_only');
  expect(refused({ op: 'replace', path: 'active', value: 'maybe' })).toBe('scim_value_invalid');
  expect(refused({ op: 'replace', path: 'title', value: { parts: 7 } })).toBe('scim_value_invalid');
  expect(refused({ op: 'replace', path: 'title', value: 'x'.repeat(1_025) })).toBe('scim_value_invalid');
  expect(refused({ op: 'add', path: 'emails', value: Array(101).fill(0).map((_, i) => ({ value: `${i}@x.y` })) })).toBe('scim_value_invalid'); // prettier-ignore
  expect(refused({ op: 'add', value: 'text' })).toBe('scim_value_invalid');
  expect(refused({ op: 'move', path: 'title', value: 'x' })).toBe('scim_syntax_invalid');
  expect(refused({ path: 'title', value: 'x' })).toBe('scim_syntax_invalid');
  expect(code(() => operationsOf({ Operations: [] }))).toBe('scim_syntax_invalid');
  expect(code(() => operationsOf({}))).toBe('scim_syntax_invalid');
});

it('changes nothing but the document, whatever the names are', () => {
  for (const path of ['__proto__', 'constructor', '__proto__.polluted', 'name.__proto__', 'emails[__proto__ eq "x"].value', 'toString', 'hasOwnProperty']) {
    const result = code(() => patched(ada, { op: 'add', path, value: 'x' }));
    expect(result, path).toMatch(/^scim_(path|filter)_invalid$/);
  }
  const sent: unknown = JSON.parse(
    '{"__proto__": {"polluted": true}, "constructor": 1, "userName": "x", "name": {"__proto__": {"polluted": true}, "givenName": "A"}}',
  );
  expect(readResource(USERS, Object(sent))).toEqual({ userName: 'x', name: { givenName: 'A' } });
  expect(patched(ada, { op: 'add', value: sent })).toEqual({ ...ada, userName: 'x', name: { ...Object(ada['name']), givenName: 'A' } });
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

// A model of one attribute of each kind, as plainly as it can be written.
interface Model {
  title?: string;
  name: Record<string, string>;
  phones: { type?: string; value?: string }[];
}
const words = fc.constantFrom('a', 'b', 'C', 'dd');
const types = fc.constantFrom('work', 'home', 'fax');
const parts = fc.constantFrom('givenName', 'familyName');
const phone = fc.record({ type: types, value: words });
const step = fc.oneof(
  fc.record({ kind: fc.constant('title' as const), op: fc.constantFrom('add', 'replace', 'remove'), value: words }),
  fc.record({ kind: fc.constant('part' as const), op: fc.constantFrom('add', 'replace', 'remove'), part: parts, value: words }),
  fc.record({ kind: fc.constant('name' as const), op: fc.constantFrom('add', 'replace'), part: parts, value: words, pathless: fc.boolean() }),
  fc.record({ kind: fc.constant('phones' as const), op: fc.constantFrom('add', 'replace'), values: fc.array(phone, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('without' as const), type: types }),
  fc.record({ kind: fc.constant('set' as const), op: fc.constantFrom('add', 'replace'), type: types, value: words }),
  fc.record({ kind: fc.constant('unset' as const), type: types }),
);

it('does what a plain model does, step by step', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const model: Model = { name: {}, phones: [] };
      let document: Document = { userName: 'u' };
      for (const one of steps) {
        document = patched(document, play(model, one));
        expect(document).toEqual({
          userName: 'u',
          ...(model.title !== undefined && { title: model.title }),
          ...(Object.keys(model.name).length > 0 && { name: model.name }),
          ...(model.phones.length > 0 && { phoneNumbers: model.phones }),
        });
      }
    }),
    { numRuns: 500 },
  );
});

/** Changes the model, and gives the operation that says the same. */
function play(model: Model, one: typeof step extends fc.Arbitrary<infer T> ? T : never): PatchOperation {
  switch (one.kind) {
    case 'title':
      if (one.op === 'remove') delete model.title;
      else model.title = one.value;
      return { op: one.op, path: 'TITLE', ...(one.op === 'remove' ? {} : { value: one.value }) };
    case 'part':
      if (one.op === 'remove') delete model.name[one.part];
      else model.name[one.part] = one.value;
      return { op: one.op, path: `name.${one.part}`, ...(one.op === 'remove' ? {} : { value: one.value }) };
    case 'name': {
      model.name[one.part] = one.value;
      const value = { [one.part]: one.value };
      return one.pathless ? { op: one.op, value: { name: value } } : { op: one.op, path: 'name', value };
    }
    case 'phones': {
      if (one.op === 'replace') model.phones = one.values.map((value) => ({ ...value }));
      else
        for (const added of one.values)
          if (!model.phones.some(({ type, value }) => type === added.type && value === added.value)) model.phones.push({ ...added });
      return { op: one.op, path: 'phoneNumbers', value: one.values };
    }
    case 'without':
      model.phones = model.phones.filter(({ type }) => type !== one.type);
      return { op: 'remove', path: `phoneNumbers[type eq "${one.type.toUpperCase()}"]` };
    case 'set': {
      const found = model.phones.filter(({ type }) => type === one.type);
      for (const each of found) each.value = one.value;
      if (found.length === 0) model.phones.push({ type: one.type, value: one.value });
      model.phones = model.phones.map((each) => ({ ...each }));
      return { op: one.op, path: `phoneNumbers[type eq "${one.type}"].value`, value: one.value };
    }
    case 'unset':
      for (const each of model.phones) if (each.type === one.type) delete each.value;
      return { op: 'remove', path: `phoneNumbers[type eq "${one.type}"].value` };
  }
}
