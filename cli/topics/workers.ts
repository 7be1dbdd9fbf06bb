// For operators: the builds of the workflow code that workers run.
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

export const commands = [
  command('workers list', {
    about: 'list the builds of the workflow code that workers run; for operators',
    details:
      'New workflows, and open ones that follow the code, go to the current build. WORKERS are processes that asked for its tasks in the last five minutes; PINNED are open workflows that continue with this build only.',
    examples: [['All of them', 'svc workers list']],
    route: 'workerBuilds.list',
    columns: {
      BUILD: ({ build_id }) => plain(build_id),
      STATE: ({ current }) => (current ? 'current' : ''),
      WORKERS: ({ workers }) => String(workers),
      PINNED: ({ pinned_workflows }) => String(pinned_workflows),
      'FIRST SEEN': ({ first_seen }) => first_seen,
    },
    empty: () => 'No worker has run yet, or the Temporal server knows no versions.',
    hint: ({ items }) => {
      const current = items.find((one) => one.current);
      return items.length > 0 && (current === undefined || current.workers === 0)
        ? 'Workflows wait: no worker runs the current build. Start one, or make another build current: svc workers set-current BUILD'
        : undefined;
    },
  }),
  command('workers set-current', {
    about: 'make a build of the workflow code current; for operators',
    details:
      'New workflows, and open ones that follow the code, go to it; pinned ones stay where they began. A worker must run it. `npm run up` does this with the build that it starts; a worker that is started again does not.',
    examples: [['After the workers of all machines have the new code', 'svc workers set-current 4f1c…']],
    arguments: { build: 'BUILD' },
    lookup: async (_, { client }) => ({ before: (await client.workerBuilds.list()).items.find((one) => one.current)?.build_id }),
    route: 'workerBuilds.setCurrent',
    send: ({ build }) => ({ body: { build_id: build } }),
    lines: ({ build_id }) => [`${plain(build_id)} is current.`],
    hint: ({ build_id }, { before }) => (before === undefined || before === build_id ? undefined : `To go back: svc workers set-current ${plain(before)}`),
  }),
];
