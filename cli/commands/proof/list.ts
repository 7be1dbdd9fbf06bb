import { Command, Option } from 'clipanion';
import type { ProofOut } from '#contract/quality/agent-proofs.ts';
import { ApiCommand, integer } from '../../command-base.ts';
import { plain, table } from '../../output.ts';

const PAGE = 100;

export class ProofListCommand extends ApiCommand {
  static override paths = [['proof', 'list']];
  static override usage = Command.Usage({
    description: 'list the proofs that you ran, newest first',
    examples: [
      ['All of them', 'svc proof list'],
      ['One agent', 'svc proof list text-kit --limit 5'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  limit = Option.String('--limit,-n', '20', { description: 'how many' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const limit = integer('--limit', this.limit, { min: 1, max: 10_000 });
    const client = this.client();
    const proofs: ProofOut[] = [];
    let cursor: string | null | undefined;
    do {
      const query = { limit: Math.min(PAGE, limit - proofs.length), ...(cursor ? { cursor } : {}), ...(this.agent === undefined ? {} : { agent: this.agent }) };
      const page = await client.agentProofs.list({ query });
      proofs.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor && proofs.length < limit);
    const output = this.output(this.json);
    if (proofs.length === 0) output.hint('You have run no proof. Run one with: svc proof run AGENT --skill SKILL');
    output.result(proofs, () =>
      proofs.length === 0 ? [] : table(['PROOF', 'AGENT', 'SKILL', 'VERSION', 'VERDICT', 'CHECKS', 'STARTED (UTC)'], proofs.map(rowOf)),
    );
    return 0;
  }
}

function rowOf(proof: ProofOut): string[] {
  const passed = proof.checks.filter((check) => check.passed).length;
  const verdict = proof.withdrawn ? `${proof.status}, withdrawn` : proof.stale === null ? proof.status : `${proof.status}, stale`;
  return [proof.proof_id, proof.agent, proof.skill_name, plain(proof.version), verdict, `${passed} of ${proof.checks.length}`, proof.created_at.slice(0, 16).replace('T', ' ')]; // prettier-ignore
}
