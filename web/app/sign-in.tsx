import { Button, Group } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { PageLink } from '../kit/page-link.tsx';
import { Empty, Page } from '../kit/page.tsx';
import { useSession, useSignInPath } from './session.ts';

/** In the place of a page that is for people with an account; after signing in they are at this very address. */
export function SignInFirst() {
  const path = useSignInPath();
  return (
    <Page title="Sign in">
      <Empty title="Sign in to see this page.">
        <Group justify="center" gap="md" mt="md">
          <Button component="a" href={path}>
            Sign in
          </Button>
          <OrganizationSignIn />
        </Group>
      </Empty>
    </Page>
  );
}

export function OperatorsOnly() {
  const { user } = useSession();
  return (
    <Page title="For operators">
      <Empty title="This page is for operators of the installation.">
        You are signed in as {user?.email}. Operators are named by the setting <code>SVC_OPERATORS</code>.
      </Empty>
    </Page>
  );
}

export function OrganizationSignIn() {
  const to = useLocation({ select: ({ href }) => href });
  return (
    <PageLink to="/sign-in/organization" search={{ to }} size="sm">
      By your organization
    </PageLink>
  );
}
