import type { ReactNode } from 'react';
import { Page } from '../kit/page.tsx';
import { Subpages } from '../kit/subpages.tsx';

const PAGES = [
  { label: 'Credentials', to: '/models' },
  { label: 'Catalog and prices', to: '/models/catalog' },
  { label: 'Usage', to: '/models/usage' },
];

export function ModelsPage({ lead, actions, children }: { lead: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <Page title="Models" lead={lead} actions={actions}>
      <Subpages label="Models" pages={PAGES} />
      {children}
    </Page>
  );
}
