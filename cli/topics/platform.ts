// For operators: how the installation is, and what is wrong with it.
import { command, customCommand } from '../lib/command.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { plain } from '../lib/output.ts';
import { size } from '../lib/size.ts';

const MARKS = { ok: '✓', warning: '!', problem: '✗' } as const;

export const commands = [
  command('platform doctor', {
    about: 'say what is wrong with the installation, and what to do; for operators',
    details:
      'Looks at the public addresses, their certificates, clocks, database, key, Temporal and its workers, the host of the machines, storage, disk, and the DNS records of mail and custom domains. It changes nothing. Where the API is down: `npm run doctor` on the machine itself, which also looks at the settings and the machine.',
    examples: [['All of it', 'svc platform doctor']],
    route: 'doctor.get',
    lines: ({ findings }) =>
      findings.map(
        ({ part, state, text, remedy }) => `${MARKS[state]} ${part.padEnd(9)} ${plain(text)}${remedy === null ? '' : `\n${' '.repeat(12)}→ ${plain(remedy)}`}`,
      ),
    hint: ({ problems, warnings }) => (problems + warnings === 0 ? 'Nothing is wrong.' : `Problems: ${problems}. Warnings: ${warnings}.`),
    exit: ({ problems }) => (problems > 0 ? EXIT.failure : EXIT.ok),
  }),
  customCommand('platform status', {
    about: 'show version, queues, open work, machines and disk of the installation; for operators',
    examples: [['Now', 'svc platform status']],
    run: async (_, { client }) => {
      const [{ version }, machinery] = await Promise.all([client.installation.get(), client.machinery.get()]);
      return { version, ...machinery };
    },
    lines: ({ version, queues, messages, waits, jobs, machines, disk, database_bytes: database }) => [
      `Version     ${plain(version)}`,
      queues === null
        ? 'Temporal    does not answer'
        : `Queues      ${queues.map(({ name, workflows, activities }) => `${plain(name)} ${workflows.waiting + activities.waiting} (${Math.max(workflows.workers, activities.workers)} workers)`).join(', ')}`,
      `Messages    ${messages.unsent} unsent${messages.unsent > 0 ? `, the oldest for ${Math.round(messages.oldest_seconds)} s` : ''}`,
      `Questions   ${waits.open} open${waits.overdue > 0 ? `, ${waits.overdue} of them overdue` : ''}`,
      `Jobs        ${jobs.length === 0 ? 'none' : jobs.map(({ kind, state, count }) => `${count} ${plain(kind)} ${plain(state)}`).join(', ')}`,
      machines === null
        ? 'Machines    their host does not answer'
        : `Machines    ${machines.length === 0 ? 'none' : machines.map(({ tier, count, memory_bytes: memory }) => `${count} ${tier} (${size(memory)})`).join(', ')}`,
      `Database    ${size(database)}`,
      `Disk        ${disk === null ? 'unknown' : `${size(disk.free_bytes)} of ${size(disk.total_bytes)} free`}`,
    ],
    hint: () => 'What is wrong, and what to do: svc platform doctor',
  }),
];
