import { Page, type PageProps } from '../kit/page.tsx';
import { Subpages } from '../kit/subpages.tsx';

const PAGES = [
  { label: 'Health', to: '/operator' },
  { label: 'Workers', to: '/operator/workers' },
  { label: 'Users', to: '/operator/users' },
  { label: 'Feature flags', to: '/operator/flags' },
  { label: 'Settings', to: '/operator/settings' },
  { label: 'Billing', to: '/operator/billing' },
  { label: 'Payouts', to: '/operator/payouts' },
  { label: 'Mail', to: '/operator/mail' },
];

export function OperatorPage({ children, ...page }: PageProps) {
  return (
    <Page {...page}>
      <Subpages label="Operator" pages={PAGES} />
      {children}
    </Page>
  );
}
