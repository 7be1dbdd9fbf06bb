// The parts of an answer's score. Criteria without a check are judged by the account's default model, where
// there is one.
import { MICROS_OF_A_CENT } from '#contract/money/dollars.ts';
import type { TrialPart } from '#contract/studio/trial-rooms.ts';
import { partsOf, type TrialAnswer, type TrialMeasure } from '#contract/studio/trial-score.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { schemaWork } from '../../kernel/schema-work/ask.ts';
import { modelFor } from '../../money/llm/generate.ts';
import { judgeResult } from '../../quality/evaluation/judge.ts';
import type { RoomSpec, TrialRunRow } from './row.ts';

const PASSES_FROM = 0.5;

export async function measured(ctx: Ctx, run: TrialRunRow, spec: RoomSpec, caseNo: number, answer: TrialAnswer, signal?: AbortSignal): Promise<TrialPart[]> {
  const of = spec.cases[caseNo - 1];
  if (!of) throw new Error('there is no such case');
  const judged = 'result' in answer.outcome ? await judgedOf(ctx, run, spec, { inputs: of.inputs, result: answer.outcome.result }, signal) : {};
  const limits = { costMicros: (spec.max_cost_cents * MICROS_OF_A_CENT) / spec.cases.length, ms: spec.max_runtime_seconds * 1000 };
  const has_expected = 'expected' in of && of.expected !== undefined;
  const facts = { facts: of.facts, expected: of.expected, has_expected };
  const measure: TrialMeasure = { outputSchema: spec.output_schema, of: facts, criteria: spec.acceptance_criteria, judged, limits };
  const parts = await schemaWork(run.owner_id, 'trialParts', { answer, measure });
  // Where the checks took too long, the rest counts.
  return parts?.value ?? partsOf(answer, measure, () => undefined);
}

type Judged = Record<number, { score: number | null; reason: string | null }>;

async function judgedOf(
  ctx: Ctx,
  run: TrialRunRow,
  spec: RoomSpec,
  { inputs, result }: { inputs: unknown; result: unknown },
  signal?: AbortSignal,
): Promise<Judged> {
  const judged: Judged = {};
  const plain = spec.acceptance_criteria.flatMap(({ text, check }, at) => (check ? [] : [{ text, at }]));
  if (plain.length === 0 || !(await modelFor(ctx, run.owner_id))) return judged;
  for (const { text, at } of plain) {
    signal?.throwIfAborted();
    const instructions = `The task was: ${spec.goal}\n\nJudge only by this: ${text}`;
    const check = { kind: 'judge' as const, instructions, pass_from: PASSES_FROM, per_day: 1 };
    const { score, reason } = await judgeResult(ctx, check, { ownerId: run.owner_id, agentName: run.agent_name ?? undefined, args: inputs, result });
    judged[at] = { score, reason };
  }
  return judged;
}
