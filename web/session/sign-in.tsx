import { Alert, Button, Group } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { insecureAddress } from '#contract/wire/secure-context.ts';
import { useInBrowser } from '../kit/in-browser.ts';
import { PageLink } from '../kit/page-link.tsx';
import { Empty, Page } from '../kit/page.tsx';
import { useSession, useSignInPath } from './session.ts';

/**
 * In the place of a page that is for people with an account; after signing in they are at this very address.
 */
export function SignInFirst() {
  return (
    <Page title="Sign in">
      <Empty title="Sign in to see this page.">
        <Group justify="center" gap="md" mt="md">
          <SignInWays />
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

/** Where the browser would not keep a session, the reason stands in their place. */
export function SignInWays() {
  const path = useSignInPath();
  const problem = useInBrowser() && !window.isSecureContext ? insecureAddress(location.origin) : undefined;
  if (problem !== undefined)
    return (
      <Alert color="yellow" title="Nobody can sign in at this address">
        {problem}
      </Alert>
    );
  return (
    <>
      <Button component="a" href={path}>
        Sign in
      </Button>
      <OrganizationSignIn />
    </>
  );
}

function OrganizationSignIn() {
  const to = useLocation({ select: ({ href }) => href });
  return (
    <PageLink to="/sign-in/organization" search={{ to }} size="sm">
      By your organization
    </PageLink>
  );
}
