// What is known of an agent: as a timeline, or as a graph.
import { Option } from 'clipanion';
import { EVIDENCE_LANES } from '#contract/states.ts';
import { integer, oneOf } from '../lib/api-command.ts';
import { shortTime } from '../receipt/words.ts';
import { type Answer, command } from '../lib/command.ts';
import { plain, table } from '../lib/output.ts';

type Timeline = Answer<'agentEvidence.timeline'>;
type Graph = Answer<'agentEvidence.dag'>;

function timelineLines({ items }: Timeline): string[] {
  const rows = items.map(({ time, lane, label, status, summary }) => [shortTime(time), lane, plain(label), status ?? '', plain(summary)]);
  return table(['WHEN', 'LANE', 'WHAT', 'STATE', ''], rows);
}

function graphLines({ nodes, edges }: Graph): string[] {
  const nodeRows = nodes.map(({ id, label, status, confidence }) => [id, plain(label), status ?? '', confidence]);
  const edgeRows = edges.map(({ from, type, to, join_rule }) => [from, type, to, join_rule]);
  return [...table(['NODE', 'WHAT', 'STATE', 'CONFIDENCE'], nodeRows), '', ...table(['FROM', 'EDGE', 'TO', 'JOINED BY'], edgeRows)];
}

function notesOf(answer: Timeline | Graph, agent: string): string[] {
  if ('items' in answer) return answer.redaction.length > 0 ? [`Not shown to you: ${answer.redaction.join(', ')}.`] : [];
  const older = `There is older evidence: svc evidence ${agent} --dag --limit 1000, or page through svc evidence ${agent}`;
  return [...answer.warnings.map(({ message }) => message), ...(answer.truncated ? [older] : [])];
}

export const commands = [
  command('evidence', {
    about: 'show the evidence of an agent, newest first: versions, reviews, proofs, grants, receipts and more',
    details: `Lanes: ${EVIDENCE_LANES.join(', ')}. With --dag the newest of it as a graph: nodes, and edges with what joins them.`,
    examples: [
      ['The newest 50', 'svc evidence librarian'],
      ['Who checked it', 'svc evidence librarian --lane quality'],
      ['As a graph', 'svc evidence librarian --dag --json'],
    ],
    ofProject: true,
    options: () => ({
      lane: Option.String('--lane', { description: 'only this lane' }),
      dag: Option.Boolean('--dag', false, { description: 'as a graph' }),
      limit: Option.String('--limit,-n', '50', { description: 'how many; of a graph 1,000 at most' }),
    }),
    route: ({ dag }) => (dag ? 'agentEvidence.dag' : 'agentEvidence.timeline'),
    send: ({ agent, lane: word, dag, limit: most }) => {
      const lane = word === undefined ? undefined : oneOf('--lane', word, EVIDENCE_LANES);
      const limit = integer('--limit', most, { min: 1, max: dag ? 1_000 : 10_000 });
      return { params: { name: agent }, query: dag ? { limit } : { ...(lane !== undefined && { lane }) } };
    },
    rows: ({ dag, limit }) => (dag ? undefined : Number(limit)),
    page: 500,
    json: (answer) => ('items' in answer ? answer.items : answer),
    lines: (answer) => ('items' in answer ? timelineLines(answer) : graphLines(answer)),
    hint: (answer, { agent }) => notesOf(answer, agent).join('\n') || undefined,
  }),
];
