// Splits a message into clauses; text in quotes or braces is never read as words. Pure.
import { JsonMistake, readJsonAt } from '../pick/json-at.ts';
import { quotedSpans } from '../pick/quotes.ts';

export interface Clause {
  /** As it was written. */
  text: string;
  /** The same with blanks in place of quotes and JSON. */
  bare: string;
  /** Joined to the clause before by a word of order: "then". */
  waits: boolean;
}

/**
 * A value in a clause without a name: a quoted text, or a word for the result of the clause before. In the
 * order of the message.
 */
export type Mention = { kind: 'quote'; text: string } | { kind: 'back' };

interface Joint {
  from: number;
  to: number;
  waits: boolean;
}

const maxObjects = 8;

/** Whole words; `before:` names an argument. */
const word = (words: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}]|\\s?[=:])`, 'giu');
const ordered = word(String.raw`(?:and |und )?(?:then|after that|afterwards|finally|dann|danach|anschließend)`);
const arrow = /->|→/g;
const semicolon = /;/g;
/** Joints only where a skill is found on both sides: see rules.ts. */
const weak = /[,.]\s+(?:and\s+|und\s+)?|\s(?:and|und)\s+|\n+/giu;
const back = word('it|them|(?:the|its) (?:results?|outputs?)|das ergebnis');
/** Conditions, choices, repetitions, refusals, and orders other than one after the other. */
const unsure = word(
  `if|unless|otherwise|else|or|until|while|when|whenever|except|not|never|without|instead|before|after|each|every|don['’]t|doesn['’]t|
   wenn|falls|sonst|oder|bis|während|außer|nicht|nie|kein|keine|keinen|ohne|statt|bevor|nachdem|jede|jeden|jedes`.replaceAll(/\s+/g, ''),
);

export function clauseOf(text: string): Clause {
  return { text, bare: blanked(text), waits: false };
}

/** At every joint that leaves no doubt. Clauses without a letter are left out. */
export function clausesOf(whole: Clause): Clause[] {
  const joints = [...jointsIn(whole.bare, ordered, true), ...jointsIn(whole.bare, arrow, true), ...jointsIn(whole.bare, semicolon, false)].sort(
    (a, b) => a.from - b.from,
  );
  const clauses: Clause[] = [];
  let { waits } = whole;
  let from = 0;
  for (const joint of [...joints, { from: whole.text.length, to: whole.text.length, waits: false }]) {
    const clause = { ...cut(whole, from, joint.from), waits };
    from = joint.to;
    // "; then" waits as "then" does.
    if (!saysSomething(clause)) waits ||= joint.waits;
    else {
      clauses.push(clause);
      waits = joint.waits;
    }
  }
  return clauses;
}

/** Where it may be two, in its order. */
export function weakJointsOf({ bare }: Clause): { from: number; to: number }[] {
  return jointsIn(bare, weak, false);
}

/** The first word that no rule reads; undefined: there is none. */
export function unsureWord({ bare }: Clause): string | undefined {
  return bare.match(unsure)?.[0];
}

export function mentionsOf({ text, bare }: Clause): Mention[] {
  const quotes = quotedSpans(text)
    .filter(([from, to]) => bare.slice(from, to + 1).trim() === '')
    .map(([from, to]) => ({ at: from, mention: { kind: 'quote' as const, text: text.slice(from + 1, to) } }));
  const backs = [...bare.matchAll(back)].map(({ index }) => ({ at: index, mention: { kind: 'back' as const } }));
  return [...quotes, ...backs].sort((a, b) => a.at - b.at).map(({ mention }) => mention);
}

export function cut({ text, bare }: Clause, from: number, to: number): Clause {
  return { text: text.slice(from, to), bare: bare.slice(from, to), waits: false };
}

function saysSomething({ bare }: Clause): boolean {
  return /\p{L}/u.test(bare);
}

function jointsIn(bare: string, pattern: RegExp, waits: boolean): Joint[] {
  return [...bare.matchAll(pattern)].map(({ index, 0: joint }) => ({ from: index, to: index + joint.length, waits }));
}

function blanked(text: string): string {
  const objects: [number, number][] = [];
  for (let at = text.indexOf('{'), tried = 0; at !== -1 && tried < maxObjects; tried += 1) {
    const end = objectEnd(text, at);
    if (end !== undefined) objects.push([at, end]);
    at = text.indexOf('{', end ?? at + 1);
  }
  const bare = blank(text, objects);
  return blank(
    bare,
    quotedSpans(bare).map(([from, to]) => [from, to + 1]),
  );
}

function blank(text: string, spans: readonly [number, number][]): string {
  let from = 0;
  const pieces = spans.map(([start, end]) => {
    const piece = text.slice(from, start) + ' '.repeat(end - start);
    from = end;
    return piece;
  });
  return pieces.join('') + text.slice(from);
}

function objectEnd(text: string, at: number): number | undefined {
  try {
    return readJsonAt(text, at).end;
  } catch (error) {
    if (error instanceof JsonMistake) return undefined;
    throw error;
  }
}
