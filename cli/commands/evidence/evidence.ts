import { Command, Option } from 'clipanion';
import type { EvidenceNodeOut } from '#contract/evidence/agent-evidence.ts';
import { EVIDENCE_LANES } from '#contract/states.ts';
import { ApiCommand, integer, oneOf } from '../../command-base.ts';
import { shortTime } from '../../evidence-words.ts';
import { plain, table } from '../../output.ts';
import { agentName } from '../../project/name.ts';

const PAGE = 500;

export class EvidenceCommand extends ApiCommand {
  static override paths = [['evidence']];
  static override usage = Command.Usage({
    description: 'show the evidence of an agent, newest first: versions, reviews, proofs, grants, receipts and more',
    details: `Lanes: ${EVIDENCE_LANES.join(', ')}. With --dag the newest of it as a graph: nodes, and edges with what joins them.`,
    examples: [
      ['The newest 50', 'svc evidence librarian'],
      ['Who checked it', 'svc evidence librarian --lane quality'],
      ['As a graph', 'svc evidence librarian --dag --json'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  lane = Option.String('--lane', { description: 'only this lane' });
  dag = Option.Boolean('--dag', false, { description: 'as a graph' });
  limit = Option.String('--limit,-n', '50', { description: 'how many; of a graph 1,000 at most' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const lane = this.lane === undefined ? undefined : oneOf('--lane', this.lane, EVIDENCE_LANES);
    const limit = integer('--limit', this.limit, { min: 1, max: this.dag ? 1_000 : 10_000 });
    const name = await agentName(this.agent, this.project);
    return this.dag ? this.#graph(name, limit) : this.#timeline(name, limit, lane);
  }

  async #timeline(name: string, limit: number, lane: (typeof EVIDENCE_LANES)[number] | undefined): Promise<number> {
    const client = this.client();
    const items: EvidenceNodeOut[] = [];
    let cursor: string | null | undefined;
    let redaction: readonly string[];
    do {
      const page = await client.agentEvidence.timeline({
        params: { name },
        query: { limit: Math.min(PAGE, limit - items.length), ...(lane !== undefined && { lane }), ...(cursor ? { cursor } : {}) },
      });
      items.push(...page.items);
      ({ next_cursor: cursor, redaction } = page);
    } while (cursor && items.length < limit);
    const output = this.output(this.json);
    output.result(items, () => table(['WHEN', 'LANE', 'WHAT', 'STATE', ''], items.map(rowOf)));
    if (redaction.length > 0) output.note(`Not shown to you: ${redaction.join(', ')}.`);
    return 0;
  }

  async #graph(name: string, limit: number): Promise<number> {
    const graph = await this.client().agentEvidence.dag({ params: { name }, query: { limit } });
    const output = this.output(this.json);
    output.result(graph, () => [
      ...table(
        ['NODE', 'WHAT', 'STATE', 'CONFIDENCE'],
        graph.nodes.map((node) => [node.id, plain(node.label), node.status ?? '', node.confidence]),
      ),
      '',
      ...table(
        ['FROM', 'EDGE', 'TO', 'JOINED BY'],
        graph.edges.map(({ from, type, to, join_rule }) => [from, type, to, join_rule]),
      ),
    ]);
    for (const { message } of graph.warnings) output.note(message);
    if (graph.truncated) output.hint(`There is older evidence: svc evidence ${name} --dag --limit 1000, or page through svc evidence ${name}`);
    return 0;
  }
}

function rowOf({ time, lane, label, status, summary }: EvidenceNodeOut): string[] {
  return [shortTime(time), lane, plain(label), status ?? '', plain(summary)];
}
