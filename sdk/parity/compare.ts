// Two SDKs side by side: what both have, and what one of them lacks, has under another name, or does while
// the other waits.
import type { Api, Member } from './api.ts';

export interface Row {
  /** `RunContext`, `RunContext.ask` or `RunContext.ask(schema)`. */
  name: string;
  typescript: boolean;
  python: boolean;
  /** Both have it, but only one of them returns a promise. */
  asynchronous?: 'typescript' | 'python';
}

/** Names that differ by the languages' own habits, TypeScript's in snake_case first. */
const RENAMED: Readonly<Record<string, string>> = { timeout_seconds: 'timeout', test_agent: 'TestAgent', command: 'cmd', __0: 'request', _ctx: 'ctx' };
/** Of a constructor: its parameters are not compared, for half of these classes are made by the runtime. */
const CONSTRUCTOR = '()';

export function compareApis(typescript: Api, python: Api): Row[] {
  const theirs = renamed(typescript, python);
  const rows: Row[] = [];
  for (const name of union(theirs, python)) {
    const [ts, py] = [theirs.get(name), python.get(name)];
    rows.push({ name, typescript: ts !== undefined, python: py !== undefined });
    if (ts && py) rows.push(...membersOf(name, ts, py));
  }
  return rows;
}

export const isDifference = ({ typescript, python, asynchronous }: Row): boolean => !typescript || !python || asynchronous !== undefined;

function membersOf(owner: string, typescript: ReadonlyMap<string, Member>, python: ReadonlyMap<string, Member>): Row[] {
  // What has no members to read here is a type, or a model made by a function.
  if (typescript.size === 0 || python.size === 0) return [];
  const isFunction = typescript.has(CONSTRUCTOR);
  const rows: Row[] = [];
  for (const member of union(typescript, python)) {
    if (member === CONSTRUCTOR && !isFunction) continue;
    const name = isFunction ? owner : `${owner}.${member}`;
    const [ts, py] = [typescript.get(member), python.get(member)];
    const waits = ts && py && ts.parameters && py.parameters && ts.asynchronous !== py.asynchronous;
    if (!isFunction || waits)
      rows.push({
        name,
        typescript: ts !== undefined,
        python: py !== undefined,
        ...(waits && { asynchronous: ts.asynchronous ? ('typescript' as const) : ('python' as const) }),
      });
    if (ts?.parameters && py?.parameters) rows.push(...parametersOf(name, ts.parameters, py.parameters));
  }
  return rows;
}

/** Only those that one side lacks: the others are said by the method's own row. */
function parametersOf(owner: string, typescript: readonly string[], python: readonly string[]): Row[] {
  const ts = typescript.map((name) => (python.includes(name) ? name : (RENAMED[name] ?? name)));
  return [...new Set([...ts, ...python])]
    .filter((name) => !ts.includes(name) || !python.includes(name))
    .map((name) => ({ name: `${owner}(${name})`, typescript: ts.includes(name), python: python.includes(name) }));
}

function renamed(api: Api, python: Api): Api {
  const nameOf = (name: string): string => {
    if (python.has(name) || /^[A-Z]/.test(name)) return name;
    return RENAMED[snake(name)] ?? (python.has(snake(name)) ? snake(name) : name);
  };
  // testAgent() makes a TestAgent: the type says more.
  const isMaker = (name: string): boolean => nameOf(name) !== name && api.has(nameOf(name));
  return new Map([...api].flatMap(([name, members]) => (isMaker(name) ? [] : [[nameOf(name), members] as const])));
}

const snake = (name: string): string => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
const union = <T>(one: ReadonlyMap<string, T>, other: ReadonlyMap<string, T>): string[] => [...new Set([...one.keys(), ...other.keys()])].sort();
