// How MCP clients connect to an agent.
import { Option } from 'clipanion';
import { type Answer, command } from '../lib/command.ts';

/** As the settings of MCP clients have it. */
function configOf({ name, url }: Answer<'agents.get'>): object {
  return { mcpServers: { [name]: { type: 'http', url: `${url}/mcp` } } };
}

function notesOf({ name, state, visibility }: Answer<'agents.get'>): string[] {
  return [
    ...(state === 'live' ? [] : [`${name} is ${state}: the address answers once it is deployed.`]),
    ...(visibility === 'public' ? [] : ['A client without OAuth sign-in sends a token instead: "headers": {"Authorization": "Bearer ..."}.']),
  ];
}

export const commands = [
  command('mcp-url', {
    about: 'print the MCP connect config of a deployed agent',
    details: 'The JSON goes into the settings of an MCP client. At an agent that is not public the client signs you in through the browser.',
    examples: [
      ['The agent of this project', 'svc mcp-url'],
      ['Another agent', 'svc mcp-url text-kit'],
    ],
    arguments: { name: '[NAME]' },
    options: () => ({ project: Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' }) }),
    route: 'agents.get',
    send: async ({ name, project }) => {
      const { readProject } = await import('../project/read.ts');
      return { params: { name: name ?? (await readProject(project)).manifest.name } };
    },
    json: configOf,
    aboutJson: 'print JSON, as it always does',
    lines: (agent) => [JSON.stringify(configOf(agent), null, 2)],
    hint: (agent) => notesOf(agent).join('\n') || undefined,
  }),
];
