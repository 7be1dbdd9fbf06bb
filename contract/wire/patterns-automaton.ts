// Path patterns as automata over characters: one step a character whatever the patterns. Whether one set of
// patterns allows at most what another allows is decided, not guessed. States are made when first reached;
// all work is bounded.

const SLASH = 0x2f;
const DOT = 0x2e;
/** Stands for every character that no pattern names. */
const OTHER = -1;

type Node =
  /** One character: this one. */
  | { kind: 'literal'; is: number }
  /** `?` */
  | { kind: 'one' }
  /** `*` */
  | { kind: 'any' }
  /**
   * `**` and the slash behind it, at a segment's start; the next node is inside a segment that it passes
   * over.
   */
  | { kind: 'skip' }
  | { kind: 'skipping' }
  /** `**` at the end, at a segment's start; the next node is inside a segment, where the path may end. */
  | { kind: 'rest' }
  | { kind: 'resting' }
  | { kind: 'end' };

export interface State {
  nodes: readonly number[];
  accepts: boolean;
  next: Map<number, State>;
}

/** What is left of the effort a caller allows. */
export interface Budget {
  steps: number;
}
export class BudgetSpent extends Error {}

/** Positions kept over all states; beyond it, the states are dropped and computed again. */
const MAX_CACHED_POSITIONS = 200_000;

/** Accepts a path that any of the patterns matches. The patterns must be valid. */
export class Automaton {
  readonly #nodes: Node[] = [];
  readonly #starts: number[] = [];
  readonly #literals = new Set<number>();
  #states = new Map<string, State>();
  #kept = 0;
  #start: State | undefined;

  constructor(patterns: readonly string[]) {
    for (const pattern of new Set(patterns)) {
      this.#starts.push(this.#nodes.length);
      for (const node of compile(pattern)) {
        this.#nodes.push(node);
        if (node.kind === 'literal') this.#literals.add(node.is);
      }
    }
  }

  matches(path: string): boolean {
    let state = this.start();
    for (const character of path) {
      state = this.step(state, character.codePointAt(0) ?? 0);
      if (state.nodes.length === 0) return false;
    }
    return state.accepts;
  }

  get literals(): ReadonlySet<number> {
    return this.#literals;
  }

  start(): State {
    return (this.#start ??= this.#stateOf(this.#starts));
  }

  step(from: State, character: number, budget?: Budget): State {
    const symbol = character === SLASH || this.#literals.has(character) ? character : OTHER;
    const known = from.next.get(symbol);
    if (known) return known;
    if (budget && (budget.steps -= from.nodes.length + 1) < 0) throw new BudgetSpent();
    const to = this.#stateOf(from.nodes.flatMap((at) => this.#moves(at, symbol)));
    from.next.set(symbol, to);
    return to;
  }

  #moves(at: number, symbol: number): number[] {
    const node = this.#nodes[at];
    const slash = symbol === SLASH;
    switch (node?.kind) {
      case 'literal':
        return node.is === symbol ? [at + 1] : [];
      case 'one':
      case 'skip':
      case 'rest':
        return slash ? [] : [at + 1];
      case 'any':
        return slash ? [] : [at];
      case 'skipping':
      case 'resting':
        return [slash ? at - 1 : at];
      default:
        return [];
    }
  }

  #stateOf(positions: readonly number[]): State {
    const nodes = this.#closure(positions);
    const key = nodes.join();
    const known = this.#states.get(key);
    if (known) return known;
    this.#kept += nodes.length + 1;
    if (this.#kept > MAX_CACHED_POSITIONS) {
      // States in hand keep what they know of each other; only the register starts again.
      this.#states = new Map();
      this.#kept = 0;
      this.#start = undefined;
    }
    const accepts = nodes.some((at) => this.#nodes[at]?.kind === 'end' || this.#nodes[at]?.kind === 'resting');
    const state: State = { nodes, accepts, next: new Map() };
    this.#states.set(key, state);
    return state;
  }

  /** With what is reached without a character: `*` and `**` may stand for nothing. */
  #closure(positions: readonly number[]): number[] {
    const all = new Set<number>();
    const add = (at: number): void => {
      for (let here = at; !all.has(here); here += this.#nodes[here]?.kind === 'skip' ? 2 : 1) {
        all.add(here);
        const kind = this.#nodes[here]?.kind;
        if (kind !== 'any' && kind !== 'skip') return;
      }
    };
    for (const at of positions) add(at);
    return [...all].sort((a, b) => a - b);
  }
}

function compile(pattern: string): Node[] {
  const segments = pattern.split('/');
  const nodes: Node[] = [];
  for (const [index, segment] of segments.entries()) {
    const last = index === segments.length - 1;
    if (segment === '**') nodes.push(...(last ? ([{ kind: 'rest' }, { kind: 'resting' }] as const) : ([{ kind: 'skip' }, { kind: 'skipping' }] as const)));
    else {
      for (const character of segment) nodes.push(nodeOf(character));
      if (!last) nodes.push({ kind: 'literal', is: SLASH });
    }
  }
  return [...nodes, { kind: 'end' }];
}

function nodeOf(character: string): Node {
  if (character === '*') return { kind: 'any' };
  return character === '?' ? { kind: 'one' } : { kind: 'literal', is: character.codePointAt(0) ?? 0 };
}

/** What a set of patterns lets through: what `allow` matches and `deny` does not. */
export interface Region {
  allow: readonly string[];
  deny: readonly string[];
}

/** How far into its segment a path is: segments are neither empty nor "." nor "..". */
type Place = 'empty' | 'dot' | 'dots' | 'name';

interface Reached {
  states: readonly State[];
  place: Place;
  symbol: number;
  from: Reached | undefined;
}

/**
 * A path that `inner` lets through and `outer` does not; undefined when there is none. @throws BudgetSpent
 */
export function counterexample(inner: Region, outer: Region, budget: Budget): string | undefined {
  const automata = [inner.allow, inner.deny, outer.allow, outer.deny].map((patterns) => new Automaton(patterns));
  const symbols = [...new Set([SLASH, DOT, OTHER, ...automata.flatMap((automaton) => [...automaton.literals])])];
  const ids = new Map<State, number>();
  const idOf = (state: State): number => ids.get(state) ?? (ids.set(state, ids.size), ids.size - 1);
  const seen = new Set<string>();
  const open: Reached[] = [{ states: automata.map((automaton) => automaton.start()), place: 'empty', symbol: OTHER, from: undefined }];
  for (let here = open.pop(); here; here = open.pop()) {
    if (here.place === 'name' && escapes(here.states)) return textOf(here, symbols);
    for (const symbol of symbols) {
      if ((budget.steps -= 1) < 0) throw new BudgetSpent();
      const place = moved(here.place, symbol);
      if (!place) continue;
      const states: State[] = [];
      for (const [index, state] of here.states.entries()) {
        states.push(automata[index]?.step(state, symbol, budget) ?? state);
        // Nothing that starts like this is in `inner`.
        if (states[0]?.nodes.length === 0) break;
      }
      if (states.length < automata.length) continue;
      const key = `${states.map(idOf).join()},${place}`;
      if (seen.has(key)) continue;
      seen.add(key);
      open.push({ states, place, symbol, from: here });
    }
  }
  return undefined;
}

function escapes([allowed, denied, outerAllowed, outerDenied]: readonly State[]): boolean {
  return allowed?.accepts === true && denied?.accepts === false && !(outerAllowed?.accepts === true && outerDenied?.accepts === false);
}

function moved(place: Place, symbol: number): Place | undefined {
  if (symbol === SLASH) return place === 'name' ? 'empty' : undefined;
  if (symbol !== DOT) return 'name';
  return place === 'empty' ? 'dot' : place === 'dot' ? 'dots' : 'name';
}

function textOf(end: Reached, symbols: readonly number[]): string {
  const unnamed = Array.from('xyzabcdefghijklmnopqrstuvw0123456789').find((letter) => !symbols.includes(letter.codePointAt(0) ?? 0)) ?? '\u{1F4C4}';
  const characters: string[] = [];
  for (let at = end; at.from; at = at.from) characters.push(at.symbol === OTHER ? unnamed : String.fromCodePoint(at.symbol));
  return characters.reverse().join('');
}
