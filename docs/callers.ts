// Who is told to an agent, by way in and by resolver: the tables of docs/authoring/callers.md, and what
// test/callers/ walks in both languages.

/** Names as the tests call them. */
export const WAYS = {
  host: { is: "the agent's own address", by: 'sign-in at that address, a token, an agent', own: true },
  'host mcp': { is: 'MCP at its own address', by: 'a token, a program that somebody allowed, an agent', own: true },
  a2a: { is: 'A2A', by: 'a token, an agent', own: true },
  'ag-ui': { is: 'AG-UI', by: 'sign-in at that address, a token', own: true },
  api: { is: 'the API, `svc call`, the dashboard', by: 'sign-in, a token, an agent', own: false },
  'api mcp': { is: 'MCP through the API, integration links', by: 'sign-in, a token, an agent', own: false },
  run: { is: 'a run in the background, a schedule, a chat, a team', by: 'the account that it works for', own: false },
} as const;
export type WayName = keyof typeof WAYS;

export const RESOLVERS = {
  none: { is: 'none', own: 'not read', vouched: '`NoAuth`', other: 'open' },
  model: { is: 'none, with `auth_model = PlatformUserAuth`', own: 'not read', vouched: 'the account', other: 'open' },
  people: { is: '`PlatformUserAuthResolver`', own: 'the session, where the platform is not between', vouched: 'the account', other: 'open' },
  fixed: { is: '`StaticAuthResolver`', own: 'not read', vouched: 'its principal', other: 'open' },
  key: { is: '`APIKeyAuthResolver`', own: 'the key', vouched: 'the account', other: 'own' },
  remote: { is: '`RemoteBearerAuthResolver`, `OIDCUserInfoAuthResolver`', own: 'the token, asked about there', vouched: 'the account', other: 'own' },
  author: { is: 'your own', own: '`request.bearer`', vouched: 'what it makes of `request.caller`; the account, where it answers 401', other: 'own' },
} as const;
export type ResolverName = keyof typeof RESOLVERS;

const OTHERS = { open: 'as the owner, without scopes', own: '401' };

const CALLERS: readonly (readonly [string, string, string, string])[] = [
  ['you, the owner', '`user`', 'all that skills of the agent require', 'yes'],
  ['a member of the organization that owns it', '`user`', 'all, where the role lets them call agents', 'with the scopes'],
  ['a token of the agent, an integration link', '`token`', 'those of the skills that it may call', 'yes'],
  ['another account', '`user`', 'what you gave it with `svc callers grant`', 'with the scopes'],
  ['a member who acts for another organization', '`user`, `sub` is `member:…`, no address', 'what you gave the organization', 'with the scopes'],
  ["an agent of yours, or of the person's own, called by them", '`user`, with `agent`', 'those of the person', 'as the person'],
  ['any other agent, and yours where nobody signed in is behind it', '`agent`, with `on_behalf_of`', 'none', 'no'],
  ['a mail', '`mail`, with the sender', 'none', 'no'],
  ['nobody signed in', '`ctx.caller` is null', 'none', 'no'],
];

export function tableOf(name: string): string {
  switch (name) {
    case 'ways':
      return markdown(
        ['way in', 'known by', "the caller's own credential for the agent"],
        Object.values(WAYS).map(({ is, by, own }) => [is, by, own ? 'an `Authorization` that is not of the platform' : 'none']),
      );
    case 'resolvers':
      return markdown(
        ['resolver', 'credential of the caller', 'without one: you, and for whom you answer', 'without one: other accounts'],
        Object.values(RESOLVERS).map(({ is, own, vouched, other }) => [is, own, vouched, OTHERS[other]]),
      );
    case 'callers':
      return markdown(['caller', '`kind`', '`scopes`', 'you answer for them'], CALLERS);
    default:
      throw new Error(`docs/callers.ts has no table ${name}`);
  }
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [row(head), `|${'---|'.repeat(head.length)}`, ...rows.map(row)].join('\n');
}
