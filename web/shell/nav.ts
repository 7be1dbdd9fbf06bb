// The six areas of the dashboard, and the pages of each. Menu, palette and tests read this.

export interface Place {
  label: string;
  to: string;
  needs?: 'account' | 'operator';
  /** Other addresses below which one is at this page. */
  also?: readonly string[];
  /** Only in the palette: another page leads there. */
  hidden?: true;
  /** Other words by which the palette finds it. */
  words?: string;
}

export interface Area {
  label: 'Home' | 'Agents' | 'Runs' | 'Inbox' | 'Build' | 'Account';
  /** The first is where the area opens. */
  pages: readonly Place[];
}

/** Of a session; null: signed out. */
export interface Reader {
  user: { operator: boolean } | null;
}

const account = { needs: 'account' } as const;

export const AREAS: readonly Area[] = [
  {
    label: 'Home',
    pages: [
      { label: 'Overview', to: '/', words: 'home start dashboard' },
      { label: 'Control room', to: '/control-room', ...account, words: 'policy budget spend denials approve limits kill switch' },
    ],
  },
  {
    label: 'Agents',
    pages: [
      { label: 'My agents', to: '/agents/mine', ...account, words: 'deploy own manage publish upload' },
      { label: 'Find agents', to: '/agents', words: 'registry search public skills browse marketplace catalog' },
      { label: 'Chat', to: '/chat', ...account, words: 'threads conversation talk message' },
      { label: 'Trial rooms', to: '/trials', ...account, words: 'compare agents rate select regression suite' },
      { label: 'Proofs', to: '/proofs', ...account, words: 'prove badge verify checks conformance' },
      { label: 'Bounties', to: '/bounties', words: 'rewards wanted requests' },
    ],
  },
  {
    label: 'Runs',
    pages: [
      { label: 'All runs', to: '/runs', also: ['/jobs'], ...account, words: 'activity jobs deployments history logs executions traces failed' },
      { label: 'Calls between agents', to: '/calls', ...account, words: 'subagent runs delegation' },
      { label: 'Sessions', to: '/sessions', ...account, words: 'conversation state threads' },
      { label: 'Plans', to: '/plans', ...account, words: 'dag steps graph workflow' },
      { label: 'Schedules', to: '/schedules', ...account, words: 'cron calendar timer recurring' },
      { label: 'Check a receipt', to: '/receipts', words: 'verify signature proof' },
    ],
  },
  {
    label: 'Inbox',
    pages: [
      { label: 'Needs your answer', to: '/inbox', ...account, words: 'inbox questions approvals waiting answer forms scope notifications' },
      { label: 'Grants', to: '/grants', ...account, words: 'access shares permissions revoke' },
      { label: 'Rules for agents', to: '/policy', ...account, words: 'policy cedar permissions allow deny approval decisions' },
    ],
  },
  {
    label: 'Build',
    pages: [
      { label: 'Studio', to: '/studio', ...account, words: 'make build agent goal recipe generate resolve' },
      { label: 'Try the studio', to: '/studio/guest', hidden: true, words: 'make agent guest without account source recipe' },
      { label: 'Ideas for agents', to: '/studio/ideas', ...account, hidden: true, words: 'studio theme hundred' },
      { label: 'Autopilot', to: '/studio/autopilot', ...account, hidden: true, words: 'studio daily look proposals' },
      { label: 'Models', to: '/models', ...account, words: 'llm credentials api keys budget usage cost tokens openai anthropic' },
      { label: 'Files', to: '/files', ...account, words: 'bucket upload workspace storage' },
      { label: 'Databases', to: '/databases', ...account, words: 'postgres sql tables branches' },
      { label: 'Teams', to: '/teams', ...account, words: 'collective protocols scorecards memories members goal' },
      { label: 'Simulations', to: '/simulations', ...account, words: 'kernel worlds market evolution' },
      { label: 'Company brain', to: '/brain', ...account, words: 'memories townhall minutes dream staff' },
      { label: 'Documentation', to: '/docs', words: 'help guide reference api cli manual' },
    ],
  },
  {
    label: 'Account',
    pages: [
      { label: 'Settings', to: '/settings', also: ['/signed-in'], ...account, words: 'account sessions notifications profile preferences tokens' },
      {
        label: 'Organizations',
        to: '/organizations',
        also: ['/invitation', '/sign-in'],
        ...account,
        words: 'teams members invite domains audit scim sso roles company',
      },
      { label: 'Credits', to: '/credits', also: ['/test-money'], ...account, words: 'wallet balance money top up pay add' },
      { label: 'Charges', to: '/charges', ...account, words: 'paid costs credits money prices' },
      { label: 'Billing', to: '/billing', ...account, words: 'plan subscription invoices seats pay upgrade' },
      { label: 'Payouts', to: '/payouts', ...account, words: 'earnings money owed paid statement bank account' },
      { label: 'Operator', to: '/operator', needs: 'operator', words: 'admin users flags settings health queues alerts' },
    ],
  },
];

/** What this reader may open; an area without a page is left out. */
export function areasFor({ user }: Reader): readonly Area[] {
  const mayOpen = ({ needs }: Place): boolean => needs === undefined || (user !== null && (needs === 'account' || user.operator));
  return AREAS.map((area) => ({ ...area, pages: area.pages.filter(mayOpen) })).filter(({ pages }) => pages.length > 0);
}

/** The area and the page of an address: the page whose address is the longest beginning of it. */
export function placeOf(areas: readonly Area[], path: string): { area: Area; page: Place } | undefined {
  const places = areas.flatMap((area) => area.pages.flatMap((page) => [page.to, ...(page.also ?? [])].map((to) => ({ area, page, to }))));
  return places.filter(({ to }) => path === to || (to !== '/' && path.startsWith(`${to}/`))).toSorted((a, b) => b.to.length - a.to.length)[0];
}
