// Several skills for one message, without a language model. The rules, in this order:
// 1. A clause ends at "then", "after that", "finally", "->" or ";". It also ends at "and", "," or "." where a
//    different skill fits each side.
// 2. A clause is a step when one skill stands out for its words.
// 3. An argument is what the clause says by name, or its only quoted text; else the one output of earlier
//    steps with its name and type; else, behind "then" or for "it", the one output whose type fits. Arguments
//    taken by their place, or from what the step before was given, are confirmed.
// 4. One clause is two steps when the skill it asks for needs inputs that one other skill of the person,
//    found by the same words, gives by name.
// 5. Everything else is asked, and nothing runs.
// A step is confirmed as a model's choice is: another's agent, or one that can change something.
import { wordsOf } from '../../deploys/composed/project/fit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { argsIssuesApart } from '../../runs/run/check-args.ts';
import type { ArgsIssue } from '../../kernel/schema-work/issues-in.ts';
import type { PlannedNode } from '../plan/model.ts';
import { referencePaths, stepsNeeded } from '../plan/references.ts';
import { type Clause, clauseOf, clausesOf, cut, unsureWord, weakJointsOf } from './clauses.ts';
import { type FitArgs, fitArgs, type Given } from './fit-args.ts';
import { type ClarifyingQuestion, type Doubt, doubtful, type ClauseStep } from './doubt.ts';
import { pair } from '../pick/form.ts';
import { type Findings, findSkills, inQuestion, type Scored, standsOut } from '../pick/pick.ts';

export type RulePlan = { kind: 'plan'; nodes: PlannedNode[] } | ClarifyingQuestion;

const MAX_RULE_STEPS = 8;
const maxWords = 64;
const maxPieces = 32;
const maxWeakJoints = 16;
/** Of skills that may give what another needs. */
const maxLookedAt = 16;
/** Order and politeness; what is left says what is wanted. */
const NOISE = new Set(['also', 'danke', 'first', 'now', 'one', 'please', 'result', 'results', 'thanks', 'zuerst']);

/** Undefined: several steps are not read in it. */
export async function planByRules(ctx: Pick<Ctx, 'db' | 'clock'>, userId: string, message: string): Promise<RulePlan | undefined> {
  const whole = clauseOf(message);
  const pieces = clausesOf(whole);
  if (pieces.length > maxPieces) return undefined;
  const findings = await findSkills(ctx, userId, [...new Set(pieces.flatMap(({ bare }) => wordsOf(bare)))].slice(0, maxWords));
  const clauses = pieces.flatMap((clause) => splitWeakly(findings, clause)).filter((clause) => wordsIn(findings, clause).length > 0);
  const steps = clauses.map((clause) => ({ clause, ranked: rankFor(findings, clause) }));
  const unsure = unsureWord(whole);
  if (clauses.length < 2) return unsure === undefined ? withItsSource(findings, whole) : undefined;
  if (!steps.some(({ ranked }) => sure(ranked))) return undefined;
  if (clauses.length > MAX_RULE_STEPS) return doubtful([], { kind: 'too many', steps: clauses.length, most: MAX_RULE_STEPS });
  if (unsure !== undefined) return doubtful([], { kind: 'word', word: unsure, meant: steps.flatMap(({ ranked }) => sure(ranked) ?? []), message });
  return planOf(steps);
}

async function planOf(read: readonly { clause: Clause; ranked: readonly Scored[] }[]): Promise<RulePlan> {
  const steps: ClauseStep[] = [];
  let doubt: Doubt | undefined;
  for (const { clause, ranked } of read) {
    const best = sure(ranked);
    const fit = best && fitArgs(clause, best.found.skill.input_schema, givenBy(steps));
    steps.push({ clause, found: best?.found, fit });
    doubt ??= best && fit ? await doubtAbout(steps.length, best, fit) : { kind: 'skill', number: steps.length, ranked };
  }
  return doubt ? doubtful(steps, doubt) : { kind: 'plan', nodes: nodesOf(steps) };
}

async function doubtAbout(number: number, { found }: Scored, { args, missing, unused }: FitArgs): Promise<Doubt | undefined> {
  if (missing.length > 0) return { kind: 'missing', number, missing };
  if (unused.length > 0) return { kind: 'unused', number, unused };
  const [issue] = await literalIssues(found, args);
  return issue && { kind: 'issue', number, issue };
}

/** What a reference stands for is known when its step has run. */
async function literalIssues({ agent, skill }: Scored['found'], args: Record<string, unknown>): Promise<ArgsIssue[]> {
  const later = referencePaths(args);
  return (await argsIssuesApart(agent, skill.input_schema, args)).filter(
    ({ path }) => !later.some((reference) => path.every((part, at) => String(part) === reference[at])),
  );
}

function nodesOf(steps: readonly ClauseStep[]): PlannedNode[] {
  return steps.flatMap(({ clause, found, fit }, at): PlannedNode[] => {
    if (!found || !fit) return [];
    const depends_on = [...new Set([...stepsNeeded(fit.args), ...(clause.waits && at > 0 ? [at] : [])])].sort((a, b) => a - b);
    return [{ agent: found.agent, skill: found.skill.id, args: fit.args, depends_on, ask: !found.mine || found.reaches || fit.confirm }];
  });
}

function givenBy(steps: readonly ClauseStep[]): Given[] {
  return steps.map(({ found, fit }, at) => ({ number: at + 1, output: found?.skill.output_schema ?? {}, quoted: fit?.quoted }));
}

/**
 * Rule 4. The words must ask for the second skill more than for the first, or only the first may be meant.
 */
async function withItsSource(findings: Findings, clause: Clause): Promise<RulePlan | undefined> {
  const words = wordsIn(findings, clause);
  const ranked = findings.rank(words).slice(0, maxLookedAt);
  const question = inQuestion(ranked);
  if (question.length > 2) return undefined;
  const complete: Scored[] = [];
  for (const one of ranked.filter(({ found }) => found.mine))
    if (await doubtFree(fitArgs(clause, one.found.skill.input_schema, []), one.found)) complete.push(one);
  const pairs: ClauseStep[][] = [];
  for (const target of question) {
    const { found } = target;
    const firstFit = fitArgs(clause, found.skill.input_schema, []);
    if (firstFit.missing.length === 0) continue;
    for (const source of complete) {
      const others = question.some((one) => one !== target && one !== source);
      const prefersTarget = words.some((word) => findings.weight(found, word) > findings.weight(source.found, word));
      if (source === target || others || !prefersTarget) continue;
      const first: ClauseStep = { clause, found: source.found, fit: fitArgs(clause, source.found.skill.input_schema, []) };
      // Its quotes are the first step's.
      const bare = { ...clause, text: clause.bare, waits: false };
      const fit = fitArgs(bare, found.skill.input_schema, givenBy([first]));
      const named = firstFit.missing.every((name) => typeof fit.args[name] === 'string' && stepsNeeded(fit.args[name]).length === 1);
      const second: ClauseStep = { clause: { ...clause, waits: true }, found, fit: { ...fit, args: { ...firstFit.args, ...fit.args } } };
      if (named && (await doubtFree(second.fit, found))) pairs.push([first, second]);
    }
  }
  const [pair, ...more] = pairs;
  return pair && more.length === 0 ? { kind: 'plan', nodes: nodesOf(pair) } : undefined;
}

async function doubtFree(fit: FitArgs | undefined, found: Scored['found']): Promise<boolean> {
  return fit !== undefined && (await doubtAbout(1, { found, score: 1 }, fit)) === undefined;
}

/** At "and", "," or "." only where each side asks for a skill of its own. */
function splitWeakly(findings: Findings, clause: Clause): Clause[] {
  const joints = weakJointsOf(clause);
  if (joints.length > maxWeakJoints) return [clause];
  const end = clause.text.length;
  const pieces: Clause[] = [];
  let from = 0;
  for (const [at, joint] of joints.entries()) {
    const left = cut(clause, from, joint.from);
    const [one, other] = [left, cut(clause, joint.to, joints[at + 1]?.from ?? end)].map((piece) => sure(rankFor(findings, piece))?.found);
    if (!one || !other || one === other) continue;
    pieces.push(left);
    from = joint.to;
  }
  return [...pieces, cut(clause, from, end)].map((piece, at) => (at === 0 ? { ...piece, waits: clause.waits } : piece));
}

function sure(ranked: readonly Scored[]): Scored | undefined {
  return standsOut(ranked) ? ranked[0] : undefined;
}

function rankFor(findings: Findings, clause: Clause): Scored[] {
  return findings.rank(wordsIn(findings, clause));
}

/** What a clause gives by name says nothing of the skill. */
function wordsIn({ inputs }: Findings, { bare }: Clause): string[] {
  return wordsOf(bare.replaceAll(pair, (said, name: string) => (inputs.has(name) ? ' ' : said))).filter((word) => !NOISE.has(word));
}
