// The arguments of one clause, from its own words and the results of earlier steps. Nothing is guessed: the
// person is asked for the rest. Pure.
import { escapedText, escapeReferences } from '../plan/references.ts';
import { type Clause, type Mention, mentionsOf } from './clauses.ts';
import { fill, isText, schemaProperties, type Schema } from '../pick/form.ts';
import { byName, byType, type Output, outputsOf, type StepSource } from './supply.ts';

/** A step as far as those behind it need to know. */
export interface Given extends StepSource {
  /** The one quoted text it took. */
  quoted: string | undefined;
}

export interface FitArgs {
  /** Texts of the message that look like references are escaped. */
  args: Record<string, unknown>;
  /** Required, and said nowhere. */
  missing: string[];
  /** Said, and no argument took it: as it stands in the message. */
  unused: string[];
  /** An argument was taken by its place, not by its name: a person confirms the call. */
  confirm: boolean;
  quoted: string | undefined;
}

export function fitArgs(clause: Clause, input: Schema, before: readonly Given[]): FitArgs {
  const filled = fill(clause.text, input);
  const properties = schemaProperties(input);
  const args: Record<string, unknown> = escapeReferences(filled.args);
  const taken = new Set(Object.values(filled.args));
  const mentions = mentionsOf(clause).filter((mention) => mention.kind === 'back' || !taken.has(mention.text));
  const outputs = before.flatMap(outputsOf);
  let confirm = false;

  let missing = filled.missing.filter((name) => {
    const [only, ...more] = byName(outputs, name, properties[name] ?? {});
    if (!only || more.length > 0) return true;
    args[name] = only.reference;
    drop(mentions, 'back');
    return false;
  });

  const last = before.at(-1);
  const [one, ...others] = missing;
  if (one !== undefined && others.length === 0 && mentions.length === 0) {
    // "… then slugify": only one of the outputs can be meant.
    const [only, ...more] = clause.waits ? byType(outputs, properties[one] ?? {}) : [];
    if (only && more.length === 0) {
      args[one] = only.reference;
      missing = [];
    }
  } else if (missing.length > 0 && missing.length === mentions.length) {
    const values = missing.map((name, at) => valueOf(mentions[at], properties[name] ?? {}, last));
    if (values.every((value) => value !== undefined)) {
      missing.forEach((name, at) => (args[name] = values[at]?.text));
      confirm = missing.length > 1 || values.some((value) => value?.doubtful === true);
      missing = [];
      mentions.length = 0;
    }
  }

  const quotes = Object.entries(args).filter(([name, value]) => typeof value === 'string' && isText(properties[name] ?? {}) && filled.args[name] === value);
  const quoted = quotes.length === 1 ? String(quotes[0]?.[1]) : undefined;
  const unused = missing.length > 0 ? [] : mentions.filter(({ kind }) => kind === 'quote' || before.length > 0).map(shown);
  return { args, missing, unused, confirm, quoted };
}

/** What a mention stands for; undefined: nothing, or more than one thing. */
function valueOf(mention: Mention | undefined, input: Schema, last: Given | undefined): { text: string; doubtful: boolean } | undefined {
  if (mention?.kind === 'quote') return isText(input) ? { text: escapedText(mention.text), doubtful: false } : undefined;
  if (!mention || !last) return undefined;
  const fitting: Output[] = byType(outputsOf(last), input);
  const [only, ...more] = fitting;
  if (only) return more.length === 0 ? { text: only.reference, doubtful: false } : undefined;
  // "Outline "…", then compare it": what the step gives does not go in, the text it was given does.
  return last.quoted !== undefined && isText(input) ? { text: last.quoted, doubtful: true } : undefined;
}

function drop(mentions: Mention[], kind: Mention['kind']): void {
  const at = mentions.findIndex((mention) => mention.kind === kind);
  if (at !== -1) mentions.splice(at, 1);
}

function shown(mention: Mention): string {
  return mention.kind === 'quote' ? JSON.stringify(mention.text.slice(0, 60)) : '"it"';
}
