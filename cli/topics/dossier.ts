// What an agent claims, what was checked, and what is open.
import { Option } from 'clipanion';
import type { DossierOut } from '#contract/evidence/agent-evidence.ts';
import { ms, shortTime } from '../receipt/words.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

function linesOf({ agent, trust, live, claims, authority, quality, risk }: DossierOut): string[] {
  const { calls, failed, p50_ms, p95_ms, review, proofs, trial } = quality;
  const facts: [string, string][] = [
    ['Trust', `${trust.state}: ${trust.reason}`],
    [
      'Live',
      live === null
        ? 'no version'
        : `${live.version ?? 'no version'}, deployment ${live.number}${live.live_at === null ? '' : `, since ${shortTime(live.live_at)}`}`,
    ],
    ['Claims', plain(claims.description) || '-'],
    ['Skills', claims.skills.map(({ id, destructive }) => (destructive === true ? `${plain(id)} (destructive)` : plain(id))).join(', ') || '-'],
    ['Hosts', authority.hosts.map(plain).join(', ') || 'none'],
    [
      'Files',
      authority.files.length === 0
        ? 'none'
        : `${authority.files.join(', ').replaceAll('_', ' ')}${authority.needs_approval ? ', each use approved by a person' : ''}`,
    ],
    ['Review', review === null ? 'none' : `${review.state}: ${review.critical} critical, ${review.warning} warnings`],
    ['Proofs', `${proofs.passed} passed, ${proofs.failed} failed`],
    ...(trial === null ? [] : [['Trial', `${trial.passed} of ${trial.items} on ${trial.dataset}`] satisfies [string, string]]),
    ['Calls', `of the newest ${calls} ${failed} failed, p50 ${ms(p50_ms)}, p95 ${ms(p95_ms)}`],
    ['Risk', risk.open ? 'open' : 'nothing is open'],
  ];
  return [
    plain(agent),
    ...facts.map(([name, value]) => `  ${name.padEnd(7)} ${value}`),
    ...risk.items.map(({ severity, message }) => `          ${severity}: ${message}`),
  ];
}

export const commands = [
  command('dossier', {
    about: 'show what an agent claims, what was checked, what it may do, and what is open',
    details: 'Of your own agents all of it, of public ones the public part. For scripts: --fail-on-risk exits 1 where something is open.',
    examples: [
      ['Before you let it at your files', 'svc dossier librarian'],
      ['In a script', 'svc dossier librarian --fail-on-risk'],
    ],
    ofProject: true,
    options: () => ({ failOnRisk: Option.Boolean('--fail-on-risk', false, { description: 'exit 1 where something is open' }) }),
    route: 'agentEvidence.dossier',
    send: ({ agent }) => ({ params: { name: agent } }),
    lines: linesOf,
    hint: ({ redaction }) => (redaction.length > 0 ? `Not shown to you: ${redaction.join(', ')}.` : undefined),
    exit: ({ risk }, { failOnRisk }) => (failOnRisk && risk.open ? EXIT.failure : EXIT.ok),
  }),
];
