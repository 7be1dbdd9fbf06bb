import { Group } from '@mantine/core';
import { Suspense } from 'react';
import { useRead } from '../../api/query.ts';
import { useSession } from '../../session/session.ts';
import { signOut } from '../../session/sign-out.ts';
import { Action, AskingAction } from '../../kit/action.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { Facts, Loading, Page, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { Consents } from './consents.tsx';
import { RunContents } from './run-contents.tsx';
import { Flags } from './flags.tsx';
import { Notifications } from './notifications.tsx';
import { Services } from './services.tsx';
import { SignIns } from './sign-ins.tsx';

export function Settings() {
  // Mail about what waits for a person is their own, and so is what is signed in as them.
  const { acts_only_for: only } = useSession();
  return (
    <Page title="Settings">
      <Account />
      <Suspense fallback={<Loading lines={8} />}>
        {!only && <SignIns />}
        {!only && <Notifications />}
        <Services />
        <RunContents />
        <Consents />
        <Flags />
        <Installation />
      </Suspense>
    </Page>
  );
}

function Account() {
  const { user, expires_at } = useSession();
  return (
    <Section
      title="Account"
      actions={
        <Group gap="xs">
          <Action label="Sign out" onAct={() => void signOut()} />
          <AskingAction label="Sign out everywhere" question="Sign out of every browser?" onAct={() => void signOut({ everywhere: true })}>
            Sessions of this account end in all browsers, and at the addresses of agents. Tokens of programs stay valid.
          </AskingAction>
        </Group>
      }
    >
      <Facts
        of={{
          'Signed in as': user?.email,
          Name: user?.name,
          'User id': user && <Copyable value={user.user_id} label="user id" />,
          Operator: user?.operator ? 'yes' : null,
          'Account since': user && <When at={user.created_at} />,
          'This session ends': expires_at && <When at={expires_at} />,
        }}
      />
    </Section>
  );
}

function Installation() {
  const { version, agents_domain: domain } = useRead('installation', 'get', {});
  return (
    <Section title="Installation">
      <Facts of={{ Version: version, 'Agents answer at': <code>{`<name>.${domain}`}</code>, 'API reference': <a href="/docs/api">/docs/api</a> }} />
    </Section>
  );
}
