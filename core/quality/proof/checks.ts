// What is checked of a performed skill. All of it is read in what the platform itself wrote: the run's end,
// its receipt, the use of models, questions that were asked. What the agent says in its events decides
// nothing.
import type { ScoredRun } from '#contract/quality/score.ts';
import type { ProofCheck } from '#contract/wire/proof.ts';
import type { ReceiptPayload } from '#contract/wire/receipt.ts';
import type { AgentProofsRow, RunsRow } from '#db/tables.ts';
import type { Fault } from '../../kernel/errors.ts';
import { schemaWork } from '../../kernel/schema-work/ask.ts';
import { scored } from '../evaluation/score.ts';
import { hashOf } from '../../runs/run/hash.ts';
import { proofProperties } from './properties.ts';
import type { ProofSpending } from './spent.ts';

export interface Performed {
  proof: AgentProofsRow;
  /** Whose agent it is. */
  author: string;
  run: RunsRow;
  receipt: ReceiptPayload;
  /** Undefined unless the run succeeded. */
  result: { value: unknown } | undefined;
  /** Why the run ended badly, or was ended. */
  fault: Fault | undefined;
  /** Of the card of the proof's deployment. */
  outputSchema: Record<string, unknown>;
  spent: ProofSpending;
  /** Also where it was answered in time: a proof says what the skill does without a person. */
  askedSomebody: boolean;
}

export async function checksOf(of: Performed): Promise<ProofCheck[]> {
  const { proof, fault, result, receipt } = of;
  return [
    check('outcome', result !== undefined && fault === undefined, fault ? `${fault.code}: ${fault.message}` : 'The run did not succeed'),
    check('receipt', agrees(of), 'The receipt of the run does not name this call and its result'),
    await outputCheck(of),
    check('asks_nobody', !of.askedSomebody, 'It asked a person: give arguments with which it asks nobody'),
    check('deadline', Date.parse(receipt.ended_at) <= proof.deadline_at.getTime(), `It did not end within ${proof.deadline_seconds} s`),
    // Without a price the cost is unknown.
    ...(of.spent.micros === null ? [] : [check('budget', of.spent.micros <= proof.budget_micros, `It cost ${of.spent.micros} micro-dollars, more than ${proof.budget_micros}`)]), // prettier-ignore
    ...(await propertyChecks(of)),
  ];
}

function check(name: string, passed: boolean, reason: string): ProofCheck {
  return { name, passed, reason: passed ? null : reason.slice(0, 500), property: null };
}

function agrees({ proof, receipt, result }: Performed): boolean {
  return (
    receipt.agent.name === proof.agent_name &&
    receipt.agent.deployment_id === proof.deploy_id &&
    receipt.skill === proof.skill_name &&
    receipt.input_sha256 === proof.input_sha256 &&
    (proof.grant_id === null || receipt.grants.includes(proof.grant_id)) &&
    (result === undefined ? receipt.output_sha256 === null : receipt.output_sha256 === hashOf(result.value))
  );
}

async function outputCheck({ author, result, outputSchema }: Performed): Promise<ProofCheck> {
  const name = 'output_schema';
  if (!result) return check(name, false, 'There is no result');
  const done = await schemaWork(author, 'score', { check: { kind: 'schema', schema: outputSchema }, run: { outcome: { result: result.value }, latencyMs: 0, costMicros: null } }); // prettier-ignore
  if (!done) return check(name, false, 'The output schema of the card cannot be read, or takes too long to check');
  return check(name, done.value?.passed === true, done.value?.reason ?? 'It does not fit the schema');
}

async function propertyChecks({ proof, run, result, fault, spent }: Performed): Promise<ProofCheck[]> {
  const facts: ScoredRun = {
    outcome: result ? { result: result.value } : { error: { code: fault?.code ?? 'failed' } },
    latencyMs: run.ran_ms || (run.ended_at?.getTime() ?? 0) - run.started_at.getTime(),
    costMicros: spent.micros,
  };
  const checks: ProofCheck[] = [];
  for (const [at, property] of proofProperties(proof).entries()) {
    const score = await scored(proof.owner_id, property, facts);
    checks.push({ ...check(`property_${at + 1}_${property.kind}`, score?.passed === true, score?.reason ?? 'It could not be checked'), property });
  }
  return checks;
}
