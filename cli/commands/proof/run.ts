import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'clipanion';
import type { ProofDetailOut } from '#contract/quality/agent-proofs.ts';
import { PROOF_DEADLINE_SECONDS } from '#contract/quality/agent-proofs.ts';
import { ApiCommand, integer } from '../../lib/api-command.ts';
import { UsageError } from '../../lib/errors.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { pathsFor } from '../../lib/other-names.ts';
import { type Output, plain } from '../../lib/output.ts';
import { agentName } from '../../project/name.ts';
import { objectIn, propertyOf } from '../../proof/property.ts';

const POLL_MS = 300;

export class ProofRunCommand extends ApiCommand {
  static override paths = pathsFor('proof create');
  static override usage = Command.Usage({
    description: 'let the platform perform a skill on one case, check the outcome and sign a proof of it',
    details:
      'Without --args the examples of the card are taken, else arguments are made from the input schema and a seed. The output schema is always checked; --property states more. Ends with 1 when the proof failed. It costs what the call costs, needs no language model, and may wake the agent. Proofs of your public agents are published, unless you gave arguments or files: say --publish or --no-publish.',
    examples: [
      ['The project in this folder', 'svc proof create --skill slugify'],
      [
        'With arguments and what must hold',
        `svc proof create text-kit --skill slugify --args '{"text":"A b"}' --property latency=500 --property 'matches=/slug:^a-b$'`,
      ],
      ['The same case again', 'svc proof create text-kit --skill slugify --seed 5f0c'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  skill = Option.String('--skill', { required: true, description: 'what it performs' });
  args = Option.String('--args', { description: 'arguments: a JSON object, or @FILE' });
  seed = Option.String('--seed', { description: 'make the arguments from the input schema with this seed' });
  property = Option.Array('--property', [], {
    description: 'what must hold: latency=MS, cost=MICRO-DOLLARS, matches=[/POINTER:]PATTERN, not-matches=…, schema=FILE; repeatable',
  });
  files = Option.Array('--file', [], { description: 'pattern of your files that it may read, repeatable' });
  deadline = Option.String('--deadline', String(PROOF_DEADLINE_SECONDS.usual), { description: 'seconds that it may take' });
  budget = Option.String('--budget', { description: 'micro-dollars that models may cost' });
  publish = Option.Boolean('--publish', { description: 'publish it with its arguments and its result, whatever the verdict; --no-publish: never' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const output = this.output(this.json);
    const { proof_id } = await this.client().agentProofs.run({
      params: { name },
      headers: { 'idempotency-key': randomUUID() },
      body: {
        skill_name: this.skill,
        properties: await Promise.all(this.property.map(propertyOf)),
        files: this.files,
        deadline_seconds: integer('--deadline', this.deadline, { min: PROOF_DEADLINE_SECONDS.least, max: PROOF_DEADLINE_SECONDS.most }),
        ...(this.args === undefined ? {} : { args: await this.#args(this.args) }),
        ...(this.seed === undefined ? {} : { seed: this.seed }),
        ...(this.budget === undefined ? {} : { budget_micros: integer('--budget', this.budget, { min: 0, max: 100_000_000 }) }),
        ...(this.publish === undefined ? {} : { publish: this.publish }),
      },
    });
    output.note(`${proof_id} started.`);
    const proof = await this.#ended(proof_id);
    output.result(proof, () => linesOf(proof, output));
    if (proof.proof !== null) output.hint(`Anyone who has it can check it: svc proof verify ${proof.published ? name : 'FILE'}`);
    return proof.status === 'passed' ? EXIT.ok : EXIT.failure;
  }

  async #args(text: string): Promise<Record<string, unknown>> {
    if (text.startsWith('@')) return objectIn(text.slice(1));
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
    } catch {
      // Said below.
    }
    throw new UsageError('--args must be a JSON object, or @FILE with one.');
  }

  async #ended(proof_id: string): Promise<ProofDetailOut> {
    for (;;) {
      const proof = await this.client().agentProofs.get({ params: { proof_id } });
      if (proof.status !== 'running') return proof;
      await sleep(POLL_MS);
    }
  }
}

function linesOf(proof: ProofDetailOut, output: Output): string[] {
  const took = proof.elapsed_ms === null ? '' : ` in ${proof.elapsed_ms} ms`;
  const head = `${proof.status === 'passed' ? 'Passed' : 'Failed'}: ${proof.agent}.${proof.skill_name} ${plain(proof.version)}${took}`;
  return [
    proof.status === 'passed' ? output.good(head) : output.bad(head),
    `Arguments  ${plain(JSON.stringify(proof.args)).slice(0, 300)} (${proof.case}${proof.seed === null ? '' : `, seed ${plain(proof.seed)}`})`,
    ...proof.checks.map(({ name, passed, reason }) => `${passed ? 'holds' : 'FAILS'}      ${name}${reason === null ? '' : `: ${plain(reason)}`}`),
    ...(proof.error === null ? [] : [`Why        ${plain(proof.error.message)}`]),
    ...(proof.proof_hash === null ? ['Nothing was signed.'] : [`Receipt    ${proof.receipt_id}`, `Proof      ${proof.proof_id}, SHA-256 ${proof.proof_hash}, ${proof.published ? 'published' : 'not published'}`]), // prettier-ignore
  ];
}
