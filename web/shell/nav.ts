// The six areas of the dashboard, and the pages of each. Menu, palette and tests read this.

export interface Place {
  label: string;
  to: string;
  needs?: 'account' | 'operator';
  /** Other addresses below which one is at this page. */
  also?: readonly string[];
  /** Only in the palette: another page leads there. */
  hidden?: true;
}

export interface Area {
  id: 'home' | 'agents' | 'runs' | 'inbox' | 'build' | 'account';
  label: string;
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
    id: 'home',
    label: 'Home',
    pages: [
      { label: 'Overview', to: '/' },
      { label: 'Control room', to: '/control-room', ...account },
    ],
  },
  {
    id: 'agents',
    label: 'Agents',
    pages: [
      { label: 'My agents', to: '/agents/mine', ...account },
      { label: 'Find agents', to: '/agents' },
      { label: 'Chat', to: '/chat', ...account },
      { label: 'Trial rooms', to: '/trials', ...account },
      { label: 'Proofs', to: '/proofs', ...account },
      { label: 'Bounties', to: '/bounties' },
    ],
  },
  {
    id: 'runs',
    label: 'Runs',
    pages: [
      { label: 'All runs', to: '/runs', also: ['/jobs', '/calls', '/sessions', '/plans'], ...account },
      { label: 'Schedules', to: '/schedules', ...account },
      { label: 'Check a receipt', to: '/receipts' },
    ],
  },
  {
    id: 'inbox',
    label: 'Inbox',
    pages: [
      { label: 'Needs your answer', to: '/inbox', ...account },
      { label: 'Grants', to: '/grants', ...account },
      { label: 'Rules for agents', to: '/policy', ...account },
    ],
  },
  {
    id: 'build',
    label: 'Build',
    pages: [
      { label: 'Studio', to: '/studio', ...account },
      { label: 'Try the studio', to: '/studio/guest', hidden: true },
      { label: 'Ideas for agents', to: '/studio/ideas', ...account, hidden: true },
      { label: 'Autopilot', to: '/studio/autopilot', ...account, hidden: true },
      { label: 'Models', to: '/models', ...account },
      { label: 'Files', to: '/files', ...account },
      { label: 'Databases', to: '/databases', ...account },
      { label: 'Teams', to: '/teams', ...account },
      { label: 'Simulations', to: '/simulations', ...account },
      { label: 'Company brain', to: '/brain', ...account },
      { label: 'Documentation', to: '/docs' },
    ],
  },
  {
    id: 'account',
    label: 'Account',
    pages: [
      { label: 'Settings', to: '/settings', also: ['/signed-in'], ...account },
      {
        label: 'Organizations',
        to: '/organizations',
        also: ['/invitation', '/sign-in'],
        ...account,
      },
      { label: 'Credits', to: '/credits', also: ['/test-money'], ...account },
      { label: 'Charges', to: '/charges', ...account },
      { label: 'Billing', to: '/billing', ...account },
      { label: 'Payouts', to: '/payouts', ...account },
      { label: 'Operator', to: '/operator', needs: 'operator' },
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
