import { Facts, Page } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { useSession } from '../../app/session.ts';

export function Settings() {
  const { user, expires_at } = useSession();
  return (
    <Page title="Settings">
      <Facts
        of={{
          'Signed in as': user?.email,
          Name: user?.name,
          'Account since': user && <When at={user.created_at} />,
          'This session ends': expires_at && <When at={expires_at} />,
        }}
      />
    </Page>
  );
}
