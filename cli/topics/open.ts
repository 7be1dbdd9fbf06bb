// An agent's page in the browser.
import { Option } from 'clipanion';
import { command } from '../lib/command.ts';
import { openBrowser } from '../login/browser.ts';

export const commands = [
  command('open', {
    about: "open an agent's page in the browser, and print its address",
    details: 'At an agent that is not public the page signs you in first.',
    examples: [
      ['The project in this folder', 'svc open'],
      ['Print only the address', 'svc open text-kit --print'],
    ],
    ofProject: true,
    options: () => ({ print: Option.Boolean('--print', false, { description: 'print the address and open nothing' }) }),
    route: 'agents.get',
    send: ({ agent }) => ({ params: { name: agent } }),
    json: ({ url, state }, { agent, print }) => ({ name: agent, url, state, opened: !print }),
    lines: ({ url }) => [url],
    hint: ({ state }, { agent }) => (state === 'live' ? undefined : `${agent} is ${state}: its page is there once it is live. See: svc status ${agent}`),
    after: async ({ url }, { print }) => {
      if (!print) await openBrowser(new URL(url));
    },
  }),
];
