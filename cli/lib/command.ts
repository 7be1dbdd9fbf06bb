// Commands as declarations: what is typed, what it does, how the answer is shown. `command` is one request;
// `customCommand` is whatever its `run` does. Help, completion, --json, the organization, exit codes and
// errors come with both.
import { Command, type CommandClass, Option } from 'clipanion';
import type { CallInput, CallOutput } from '#contract/client.ts';
import type { Contract } from '#contract/index.ts';
import type { Api } from './api.ts';
import { ApiCommand, type By, type LocalBy } from './api-command.ts';
import type { CliContext } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { agentsProjectOption } from './options.ts';
import { pathsFor } from './other-names.ts';
import { type Output, table } from './output.ts';
import { agentName } from '../project/name.ts';

type Groups = keyof Contract & string;
/** `agents.get` and all others. */
export type RouteId = { [G in Groups]: `${G}.${keyof Contract[G] & string}` }[Groups];
type RouteOf<I extends RouteId> = I extends `${infer G extends Groups}.${infer R}` ? (R extends keyof Contract[G] ? Contract[G][R] : never) : never;
type Input<I extends RouteId> = I extends RouteId ? CallInput<RouteOf<I>> : never;
export type Answer<I extends RouteId> = CallOutput<RouteOf<I>>;
/** Of a list: one of its items. */
export type Row<T> = T extends readonly (infer R)[] ? R : T extends { items: readonly (infer R)[] } ? R : never;

type Arguments = Readonly<Record<string, string>>;
type ArgumentOf<S extends string> = S extends `${string}...` | `[${string}...]` ? string[] : S extends `[${string}]` ? string | undefined : string;
/** What a person typed, by the names of the declaration. */
type Given<A extends Arguments, O extends object, P extends boolean> = { json: boolean } & { [K in keyof A]: ArgumentOf<A[K]> } & O &
  (P extends true ? { agent: string } : unknown);

/** What is typed, and what the help page says of it. */
interface Typed<A extends Arguments, O extends object, P extends boolean> {
  /** Small letters, no full stop: it stands in lists of commands. */
  about: string;
  details?: string;
  /** What it does, and the line. */
  examples?: [about: string, line: string][];
  /**
   * The first argument is an agent; where none is named, that of the project in the folder or in --project.
   */
  ofProject?: P;
  /**
   * In the order in which they are typed: `NAME`, `[NAME]` where it may be left out, `NAME...` where there
   * may be several, `[NAME...]` where there may be none.
   */
  arguments?: A;
  /** Made for each run: `Option.String('--tag', { description })`. */
  options?: () => O;
  /** Absent: `print JSON`. */
  aboutJson?: string;
}

/** How an answer is shown. G: what was typed, and what was looked up. */
interface Shown<R, G> {
  /** What --json prints; absent: the answer. */
  json?(answer: R, given: G): unknown;
  /** Of a list: its table, by the heads of its columns. */
  columns?: Readonly<Record<string, (row: Row<R>) => string>>;
  /** Of a list that is empty: which command adds to it. */
  empty?(given: G): string;
  /** Of anything else: lines on standard output. */
  lines?(answer: R, given: G, output: Output): readonly string[];
  /** On standard error: what was done, and the command to run next. */
  hint?(answer: R, given: G, output: Output): string | undefined;
  /** Absent: 0. */
  exit?(answer: R, given: G): (typeof EXIT)[keyof typeof EXIT];
  /** What it does last, for example to open a page. */
  after?(answer: R, given: G): Promise<void>;
}

export interface Declaration<I extends RouteId, A extends Arguments, O extends object, P extends boolean, L extends object>
  extends Typed<A, O, P>, Shown<Answer<I>, Given<A, O, P> & L> {
  /** Before the request: what `send` and the rest get beside what was typed. @throws UsageError */
  lookup?(given: Given<A, O, P>, by: By): L | Promise<L>;
  /** A function where an argument or an option decides which route; called after `send`. */
  route: I | ((given: Given<A, O, P> & L) => I);
  /**
   * Absent: the route takes nothing. It may ask the API for more, for example the id of what has a name.
   * @throws UsageError
   */
  send?(given: Given<A, O, P> & L, by: By): Input<I> | Promise<Input<I>>;
  /**
   * Of a list with pages: how many rows at most, over all its pages. `send` gives no limit and no cursor
   * then. Undefined: the one request of `send`.
   */
  rows?(given: Given<A, O, P> & L): number | undefined;
  /** With `rows`: how many of them in a request; absent: 100, as every list allows. */
  page?: number;
}

export function command<
  const I extends RouteId,
  const A extends Arguments = Record<never, never>,
  O extends object = Record<never, never>,
  const P extends boolean = false,
  L extends object = Record<never, never>,
>(words: string, declared: Declaration<I, A, O, P, L>): CommandClass<CliContext> {
  return classOf<A, O, P, Answer<I>, Given<A, O, P> & L>(words, declared, async (typed, by) => {
    const given = joined(typed, await declared.lookup?.(typed, by));
    const input = await declared.send?.(given, by);
    const most = declared.rows?.(given);
    const { route } = declared;
    const call = callAt(by.client, typeof route === 'function' ? route(given) : route);
    return { answer: await (most === undefined ? call(input) : upTo(most, declared.page, input, call)), given };
  });
}

interface CustomDeclaration<A extends Arguments, O extends object, P extends boolean, N extends boolean, R> extends Typed<A, O, P>, Shown<R, Given<A, O, P>> {
  /** It never talks to the control plane, so it has neither --api nor --org. */
  local?: N;
  /** Notes that come before the answer are its own. Undefined: there is nothing to show. @throws CliError */
  run(given: Given<A, O, P>, by: N extends true ? LocalBy : By): Promise<R | undefined>;
}

export function customCommand<
  const A extends Arguments = Record<never, never>,
  O extends object = Record<never, never>,
  const P extends boolean = false,
  const N extends boolean = false,
  R = unknown,
>(words: string, declared: CustomDeclaration<A, O, P, N, R>): CommandClass<CliContext> {
  return classOf<A, O, P, R, Given<A, O, P>>(words, declared, (given, by) =>
    declared.run(given, byOf<N>(by)).then((answer) => (answer === undefined ? undefined : { answer, given })),
  );
}

function classOf<A extends Arguments, O extends object, P extends boolean, R, G>(
  words: string,
  declared: Typed<A, O, P> & Shown<R, G> & { local?: boolean },
  run: (typed: Given<A, O, P>, by: By) => Promise<{ answer: R; given: G } | undefined>,
): CommandClass<CliContext> {
  const { about, details, examples, ofProject } = declared;
  return class extends ApiCommand {
    static override paths = pathsFor(words);
    static override usage = Command.Usage({ description: about, ...(details !== undefined && { details }), ...(examples && { examples }) });

    constructor() {
      super();
      Object.assign(this, fieldsOf(declared));
    }

    async execute(): Promise<number> {
      const typed = typedAt<{ agent?: string; project: string } & Given<A, O, P>>(this);
      const named = ofProject ? { ...typed, agent: await agentName(typed.agent, typed.project) } : typed;
      const by = this.means(typed.json);
      const done = await run(named, by);
      return done ? await show(declared, done.answer, done.given, by.output) : EXIT.ok;
    }
  };
}

/** Resolves with the exit code. */
async function show<R, G>(declared: Shown<R, G>, answer: R, given: G, output: Output): Promise<number> {
  const { columns, empty } = declared;
  if (empty && rowsOf(answer).length === 0) output.hint(empty(given));
  const document = declared.json ? declared.json(answer, given) : answer;
  output.result(document, () => (columns ? tableOf(columns, rowsOf(answer)) : (declared.lines?.(answer, given, output) ?? [])));
  const hint = declared.hint?.(answer, given, output);
  if (hint !== undefined) output.hint(hint);
  await declared.after?.(answer, given);
  return declared.exit?.(answer, given) ?? EXIT.ok;
}

/** Every list takes as many in one page. */
const PAGE = 100;

/** One answer with the rows of as many pages as it takes. */
async function upTo<I extends RouteId>(
  most: number,
  page: number | undefined,
  input: Input<I> | undefined,
  call: (input?: Input<I>) => Promise<Answer<I>>,
): Promise<Answer<I>> {
  const items: unknown[] = [];
  let cursor: string | null | undefined;
  let answer: Answer<I>;
  do {
    answer = await call(withQuery(input, { limit: Math.min(page ?? PAGE, most - items.length), ...(cursor ? { cursor } : {}) }));
    const { items: more, next_cursor } = pageIn(answer);
    items.push(...more);
    cursor = next_cursor;
  } while (cursor && items.length < most);
  return Object.assign({}, answer, { items });
}

/** As clipanion reads them: arguments in their order, then options. */
function fieldsOf<A extends Arguments, O extends object, P extends boolean>(declared: Typed<A, O, P> & { local?: boolean }): object {
  const fields = Object.entries(declared.arguments ?? {}).map(([field, name]) => [field, argument(name)]);
  return {
    ...(declared.local && { api: undefined, org: undefined }),
    ...(declared.ofProject && { agent: Option.String({ required: false, name: 'AGENT' }) }),
    ...Object.fromEntries(fields),
    ...(declared.ofProject && { project: agentsProjectOption() }),
    ...declared.options?.(),
    json: Option.Boolean('--json', false, { description: declared.aboutJson ?? 'print JSON' }),
  };
}

function argument(name: string): unknown {
  if (name.endsWith('...]')) return Option.Rest({ name: name.slice(1, -4) });
  if (name.endsWith('...')) return Option.Rest({ name: name.slice(0, -3), required: 1 });
  return name.startsWith('[') ? Option.String({ required: false, name: name.slice(1, -1) }) : Option.String({ name });
}

function tableOf<R>(columns: Readonly<Record<string, (row: R) => string>>, rows: readonly R[]): string[] {
  if (rows.length === 0) return [];
  const cells = Object.values(columns);
  return table(
    Object.keys(columns),
    rows.map((row) => cells.map((cell) => cell(row))),
  );
}

// Safe: clipanion set the fields that fieldsOf made, and Given is their types.
function typedAt<T>(command: object): T {
  return command as T;
}

// Safe: it has all that a local command gets, and more.
function byOf<N extends boolean>(by: By): N extends true ? LocalBy : By {
  return by as N extends true ? LocalBy : By;
}

// Safe: without a lookup there is nothing that L names.
function joined<T extends object, L extends object>(typed: T, found: L | undefined): T & L {
  return { ...typed, ...found } as T & L;
}

// Safe: the client has a call under each name of the contract, and Input and Answer are of this route.
function callAt<I extends RouteId>(api: Api, route: I): (input?: Input<I>) => Promise<Answer<I>> {
  const [group = '', name = ''] = route.split('.');
  return (api as unknown as Record<string, Record<string, unknown>>)[group]?.[name] as (input?: Input<I>) => Promise<Answer<I>>;
}

// Safe: limit and cursor are what every list with pages takes.
function withQuery<T>(input: T | undefined, page: object): T {
  const { query } = { query: {}, ...input };
  return { ...input, query: { ...query, ...page } } as T;
}

// Safe: only a declaration of a list with pages has `rows`.
function pageIn(answer: unknown): { items: unknown[]; next_cursor: string | null } {
  return answer as { items: unknown[]; next_cursor: string | null };
}

// Safe: only a declaration of a list has `columns` or `empty`.
function rowsOf<T>(answer: T): readonly Row<T>[] {
  return (Array.isArray(answer) ? answer : (answer as { items: unknown[] }).items) as readonly Row<T>[];
}
