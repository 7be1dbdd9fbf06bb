// What challenges and reviews found in an agent, and its owner's answers.
import { Option } from 'clipanion';
import { FINDING_ANSWERS } from '#contract/states.ts';
import { oneOf } from '../lib/api-command.ts';
import { findingLines } from '../commands/challenge.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { command } from '../lib/command.ts';
import { agentName } from '../project/name.ts';

export const commands = [
  command('findings list', {
    about: 'list what challenges and reviews found in your agent',
    details: 'A critical one that is open keeps the agent from being published, and from upgrades of its runtime and template. Ends with 1 while one does.',
    examples: [
      ['The project in this folder', 'svc findings list'],
      ['Answered ones too', 'svc findings list librarian --all'],
    ],
    ofProject: true,
    options: () => ({ all: Option.Boolean('--all', false, { description: 'those that were answered, too' }) }),
    route: 'findings.list',
    send: ({ agent, all }) => ({ params: { name: agent }, query: { state: all ? ('all' as const) : ('open' as const) } }),
    rows: () => Infinity,
    page: 200,
    json: ({ frozen_by, items }) => ({ frozen_by, items }),
    lines: ({ items }, _, output) => items.flatMap((finding) => findingLines(finding, output)),
    empty: ({ agent, all }) => `${agent} has no ${all ? '' : 'open '}findings. Challenge it with: svc challenge ${agent} --follow`,
    hint: ({ frozen_by: by }, { agent }, output) =>
      by === null ? undefined : output.bad(`${agent} is not published or upgraded until ${by} is answered: svc findings answer ${by} ANSWER REASON`),
    exit: ({ frozen_by }) => (frozen_by === null ? EXIT.ok : EXIT.failure),
  }),
  command('findings answer', {
    about: 'answer a finding of your agent, with a reason',
    details:
      'fixed: the calls that showed it are made again at the live version, and the answer is refused while they still show it. accepted: you know it and live with it. false_alarm: it is none. A fixed one that shows again is open again.',
    examples: [
      ['After a deploy', 'svc findings answer fnd_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 fixed "paths are checked now"'],
      ['Another agent', 'svc findings answer fnd_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 accepted "only I call it" --agent librarian'],
    ],
    arguments: { finding: 'FINDING', answer: 'ANSWER', reason: 'REASON' },
    options: () => ({
      agent: Option.String('--agent', { description: 'whose finding (default: the name in svc.yaml)' }),
      project: Option.String('--project,-p', '.', { description: 'folder of the project' }),
    }),
    route: 'findings.answer',
    send: async ({ finding, answer: word, reason, agent, project }) => {
      const answer = oneOf('ANSWER', word, FINDING_ANSWERS);
      return { params: { name: await agentName(agent, project), finding_id: finding }, body: { answer, reason } };
    },
    lines: ({ finding_id }, { answer }) => [`${finding_id} is answered: ${answer}.`],
  }),
];
