// By an organization's provider a session acts for that organization only, until its person links the
// account: every page says so.
import { Alert } from '@mantine/core';
import { PageLink } from '../kit/page-link.tsx';
import { useSession } from '../session/session.ts';

export function Limited() {
  const { acts_only_for: only } = useSession();
  if (!only) return null;
  return (
    <Alert mb="md" role="note">
      You are signed in through {only.name}’s provider: you act for {only.name} only.{' '}
      <PageLink to="/organizations/$slug/sso" params={{ slug: only.slug }} size="sm">
        Link the account
      </PageLink>{' '}
      to use the rest.
    </Alert>
  );
}
