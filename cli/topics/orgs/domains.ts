// Domains of an organization.
import { EXIT } from '../../lib/exit-codes.ts';
import { command } from '../../lib/command.ts';
import { table } from '../../lib/output.ts';

export const commands = [
  command('orgs domains list', {
    about: 'list the domains of an organization',
    examples: [['One organization', 'svc orgs domains list acme']],
    arguments: { slug: 'SLUG' },
    route: 'organizations.domains',
    send: ({ slug }) => ({ params: { slug } }),
    json: ({ items }) => items,
    lines: ({ items }) =>
      table(
        ['DOMAIN', 'STATE', 'PROBLEM'],
        items.map(({ domain, state, problem }) => [domain, state, problem ?? '']),
      ),
  }),
  command('orgs domains create', {
    about: 'claim a domain: prints the record that proves it',
    examples: [['One', 'svc orgs domains create acme example.com']],
    arguments: { slug: 'SLUG', domain: 'DOMAIN' },
    route: 'organizations.addDomain',
    send: ({ slug, domain }) => ({ params: { slug }, body: { domain } }),
    lines: ({ record: { type, name, value } }) => [`${name} ${type} "${value}"`],
    hint: ({ domain }, { slug }) => `Add the record, then: svc orgs domains verify ${slug} ${domain}`,
  }),
  command('orgs domains verify', {
    about: 'look for the record of a domain now',
    examples: [['One', 'svc orgs domains verify acme example.com']],
    arguments: { slug: 'SLUG', domain: 'DOMAIN' },
    route: 'organizations.verifyDomain',
    send: ({ slug, domain }) => ({ params: { slug, domain } }),
    lines: ({ domain, state, problem }) => [problem === null ? `${domain} is ${state}.` : problem],
    exit: ({ state }) => (state === 'verified' ? EXIT.ok : EXIT.failure),
  }),
  command('orgs domains delete', {
    about: 'give a domain up',
    examples: [['One', 'svc orgs domains delete acme example.com']],
    arguments: { slug: 'SLUG', domain: 'DOMAIN' },
    route: 'organizations.removeDomain',
    send: ({ slug, domain }) => ({ params: { slug, domain } }),
    json: (_, { domain }) => ({ removed: domain }),
    lines: (_, { domain }) => [`${domain} is given up.`],
  }),
];
