// The agents that an account can see.
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

export const commands = [
  command('agents', {
    about: 'list the agents you can see: your own and the public ones',
    examples: [['Their addresses', "svc agents --json | jq -r '.[].url'"]],
    lookup: (_, { context }) => ({ home: context.settings.home }),
    route: 'agents.list',
    columns: {
      NAME: ({ name }) => name,
      VERSION: ({ version }) => version ?? '-',
      STATE: ({ state, out_of_service }) => (out_of_service ? 'unhealthy' : state),
      LISTING: ({ visibility }) => visibility,
      MINE: ({ mine }) => (mine ? 'yes' : ''),
      URL: ({ url }) => url,
      DESCRIPTION: ({ description, out_of_service: out }) => plain(out ? `out of service: ${out.reason}` : description),
    },
    empty: () => 'No agents yet. Make one with: svc init NAME --language typescript',
    after: async (agents, { home }) => {
      const { Stubs } = await import('../use/stubs.ts');
      // Only for completion: a home that cannot be written is no failure of the list.
      await new Stubs(home).keepSeen(agents.map(({ name }) => name)).catch(() => undefined);
    },
  }),
];
