// Proofs of what agents do.
import { Option } from 'clipanion';
import type { ProofOut } from '#contract/quality/agent-proofs.ts';
import { integer } from '../lib/api-command.ts';
import { ProofRunCommand } from '../commands/proof/run.ts';
import { ProofVerifyCommand } from '../commands/proof/verify.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

export const commands = [
  ProofRunCommand,
  command('proof list', {
    about: 'list the proofs that you ran, newest first',
    examples: [
      ['All of them', 'svc proof list'],
      ['One agent', 'svc proof list text-kit --limit 5'],
    ],
    arguments: { agent: '[AGENT]' },
    options: () => ({ limit: Option.String('--limit,-n', '20', { description: 'how many' }) }),
    route: 'agentProofs.list',
    send: ({ agent }) => ({ query: agent === undefined ? {} : { agent } }),
    rows: ({ limit }) => integer('--limit', limit, { min: 1, max: 10_000 }),
    json: ({ items }) => items,
    columns: {
      PROOF: ({ proof_id }) => proof_id,
      AGENT: ({ agent }) => agent,
      SKILL: ({ skill_name }) => skill_name,
      VERSION: ({ version }) => plain(version),
      VERDICT: verdictOf,
      CHECKS: ({ checks }) => `${checks.filter(({ passed }) => passed).length} of ${checks.length}`,
      'STARTED (UTC)': ({ created_at }) => created_at.slice(0, 16).replace('T', ' '),
    },
    empty: () => 'You have run no proof. Run one with: svc proof create AGENT --skill SKILL',
  }),
  ProofVerifyCommand,
  command('proof revoke', {
    about: 'withdraw a proof that you published; this is final, and readers see the reason',
    examples: [['With a reason', 'svc proof revoke prf_01… --reason "The arguments named a customer"']],
    arguments: { proofId: 'PROOF' },
    options: () => ({ reason: Option.String('--reason', { required: true, description: 'public' }) }),
    route: 'agentProofs.withdraw',
    send: ({ proofId, reason }) => ({ params: { proof_id: proofId }, body: { reason } }),
    lines: ({ proof_id, agent, skill_name }) => [`${proof_id} of ${agent}.${skill_name} is withdrawn. Its badge shows that until there is a newer proof.`],
  }),
];

function verdictOf({ status, withdrawn, stale }: ProofOut): string {
  if (withdrawn) return `${status}, withdrawn`;
  return stale === null ? status : `${status}, stale`;
}
