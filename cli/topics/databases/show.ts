// What databases there are, and what is in one.
import type { DatabaseProjectDetailOut, DatabaseQuotaOut } from '#contract/agents/databases.ts';
import { command } from '../../lib/command.ts';
import { plain, table } from '../../lib/output.ts';
import { mib, projectId } from './find.ts';

export const commands = [
  command('databases list', {
    about: 'list your databases',
    examples: [['The newest first', 'svc databases list']],
    route: 'databases.list',
    send: () => ({ query: { limit: 200 } }),
    lines: ({ items, quota }) => {
      const rows = items.map((one) => [one.name, one.state, one.allowance, `${mib(one.size_bytes)} of ${mib(one.max_bytes)}`, String(one.connections)]);
      return rows.length === 0 ? [] : [...table(['DATABASE', 'STATE', 'ALLOWED', 'SIZE', 'CONNECTIONS'], rows), '', usedOf(quota)];
    },
    empty: () => 'No databases. Create one with: svc databases create NAME',
    hint: ({ next_cursor }) => (next_cursor === null ? undefined : 'These are the newest 200.'),
  }),
  command('databases get', {
    about: 'show a database: its branches, its size, the agents that are bound to it',
    examples: [['By its name', 'svc databases get orders']],
    arguments: { database: 'DATABASE' },
    route: 'databases.get',
    send: async ({ database }, { client }) => ({ params: { project_id: await projectId(client, database) } }),
    lines: linesOf,
  }),
];

function usedOf(of: DatabaseQuotaOut): string {
  return `${of.databases} of ${of.max_databases} databases, ${of.branches} of ${of.max_branches} branches, ${mib(of.size_bytes)} of ${mib(of.max_bytes)}`;
}

export function linesOf(found: DatabaseProjectDetailOut): string[] {
  const branches = found.branches.map((one) => [
    one.name,
    one.state,
    one.parent ?? '-',
    mib(one.size_bytes),
    `${one.connections} of ${one.max_connections}`,
    one.error === null ? '' : plain(one.error.message),
  ]);
  const bindings = found.bindings.map((one) => [one.agent, one.variable, one.branch, one.access, one.declared ? 'svc.yaml' : 'by hand', one.binding_id]);
  return [
    `${found.name}  ${found.state}  ${mib(found.size_bytes)} of ${mib(found.max_bytes)}`,
    ...(found.allowance === 'full' ? [] : [`It is larger than it may be: ${found.allowance}.`]),
    '',
    ...table(['BRANCH', 'STATE', 'COPY OF', 'SIZE', 'CONNECTIONS', ''], branches),
    ...(bindings.length === 0 ? [] : ['', ...table(['AGENT', 'VARIABLE', 'BRANCH', 'ACCESS', 'DECLARED', 'BINDING'], bindings)]),
  ];
}
