// What the pages of one organization have in common.
import type { ReactNode } from 'react';
import { useRead } from '../../api/query.ts';
import type { Output } from '../../api/client.ts';
import { Page } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { Subpages } from '../../kit/subpages.tsx';

export type Organization = Output<'organizations', 'get'>;

export function useOrganization(slug: string): Organization {
  return useRead('organizations', 'get', { params: { slug } });
}

export const manages = ({ role }: Pick<Organization, 'role'>): boolean => role === 'owner' || role === 'admin';

export function OrganizationPage({ of, actions, children }: { of: Organization; actions?: ReactNode; children: ReactNode }) {
  const at = `/organizations/${of.slug}`;
  const audits = manages(of) || of.role === 'auditor';
  const pages = [
    { label: 'Members', to: at },
    { label: 'Domains', to: `${at}/domains` },
    { label: 'Approvals', to: `${at}/approvals` },
    ...(audits ? [{ label: 'Audit log', to: `${at}/audit` }] : []),
    { label: 'Sign-in', to: `${at}/sso` },
    { label: 'SCIM', to: `${at}/scim` },
    ...(manages(of) ? [{ label: 'Provisioned', to: `${at}/provisioned` }] : []),
    ...(audits ? [{ label: 'Compliance', to: `${at}/compliance` }] : []),
  ];
  return (
    <Page title={of.name} beside={<State of={of.role} />} crumbs={[{ label: 'Organizations', to: '/organizations' }]} actions={actions}>
      <Subpages label="Parts of the organization" pages={pages} />
      {children}
    </Page>
  );
}
