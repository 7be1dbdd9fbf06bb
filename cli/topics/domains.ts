// Custom domains of an agent.
import { domainLines } from '../commands/domains/shown.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

export const commands = [
  command('domains list', {
    about: 'list the custom domains of your agent, with what is missing',
    examples: [['The project in this folder', 'svc domains list']],
    ofProject: true,
    route: 'agents.domains',
    send: ({ agent }) => ({ params: { name: agent } }),
    columns: {
      DOMAIN: ({ display_name }) => plain(display_name),
      STATE: ({ state }) => state,
      'CERTIFICATE UNTIL': ({ certificate }) => (certificate === null ? '-' : (certificate.not_after?.slice(0, 10) ?? 'none yet')),
      PROBLEM: ({ problem, certificate }) => plain(problem ?? certificate?.problem ?? ''),
    },
    empty: ({ agent }) => `${agent} has no custom domains. Add one with: svc domains create ${agent} shop.example.com`,
  }),
  command('domains create', {
    about: 'add a host name of yours at which your agent answers',
    details: 'Prints the records to add to the DNS. The platform looks for them for three days; the agent answers at the name once the proof is there.',
    examples: [
      ['One name', 'svc domains create reporter reports.example.com'],
      ['Every name one level below', "svc domains create reporter '*.example.com'"],
    ],
    arguments: { agent: 'AGENT', hostname: 'HOSTNAME' },
    route: 'agents.addDomain',
    send: ({ agent, hostname }) => ({ params: { name: agent }, body: { hostname } }),
    lines: domainLines,
    hint: ({ hostname }, { agent }) => `\nAdd these records where the domain's DNS is kept, then: svc domains verify ${agent} '${hostname}'`,
  }),
  command('domains verify', {
    about: 'look at the DNS of a custom domain now: which record is missing, what was seen',
    details: 'Ends with 1 while the domain is not active.',
    examples: [['After the records were added', 'svc domains verify reporter reports.example.com']],
    arguments: { agent: 'AGENT', hostname: 'HOSTNAME' },
    route: 'agents.verifyDomain',
    send: ({ agent, hostname }) => ({ params: { name: agent, hostname } }),
    lines: domainLines,
    hint: ({ state }) => (state === 'active' ? undefined : '\nName servers may keep an old answer for some minutes. The platform looks again automatically.'),
    exit: ({ state }) => (state === 'active' ? EXIT.ok : EXIT.failure),
  }),
  command('domains delete', {
    about: 'remove a custom domain from your agent at once',
    examples: [['By its name', 'svc domains delete reporter reports.example.com']],
    arguments: { agent: 'AGENT', hostname: 'HOSTNAME' },
    route: 'agents.removeDomain',
    send: ({ agent, hostname }) => ({ params: { name: agent, hostname } }),
    json: (_, { hostname }) => ({ hostname, removed: true }),
    hint: (_, { agent, hostname }) => `${agent} does not answer at ${hostname} any more. Remove its DNS records too, so that no other user can claim it.`,
  }),
];
