// What the compliance pages of one organization have in common.
import type { ReactNode } from 'react';
import { Page } from '../../kit/page.tsx';
import { Subpages } from '../../kit/subpages.tsx';

export function Frame({ slug, lead, actions, children }: { slug: string; lead: string; actions?: ReactNode; children: ReactNode }) {
  const at = `/organizations/${slug}/compliance`;
  const pages = [
    { label: 'Status', to: at },
    { label: 'Agents', to: `${at}/agents` },
    { label: 'Decision records', to: `${at}/records` },
    { label: 'Exports', to: `${at}/exports` },
    { label: 'Policy', to: `${at}/policy` },
  ];
  return (
    <Page title={`Compliance of ${slug}`} lead={lead} crumbs={[{ label: slug, to: `/organizations/${slug}` }]} actions={actions}>
      <Subpages label="Compliance" pages={pages} />
      {children}
    </Page>
  );
}
