// Where the link of an invitation leads. Its token stands after the "#", which is sent nowhere; the tab keeps
// it while its reader signs in.
import { useNavigate } from '@tanstack/react-router';
import { SignInFirst } from '../../session/sign-in.tsx';
import { useSession } from '../../session/session.ts';
import { useSend } from '../../api/query.ts';
import { Action } from '../../kit/action.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { useTabState } from '../../kit/tab-state.ts';

const KEY = 'svc.invitation';

function tokenOfTab(): string | undefined {
  const given = location.hash.slice(1);
  if (given !== '') {
    sessionStorage.setItem(KEY, given);
    history.replaceState(history.state, '', location.pathname);
  }
  return sessionStorage.getItem(KEY) ?? undefined;
}

export function Invitation() {
  const [token, , known] = useTabState(tokenOfTab, undefined);
  const { user } = useSession();
  const navigate = useNavigate();
  const accept = useSend('organizations', 'acceptInvitation', {
    quiet: true,
    done: ({ name, role }) => `You are ${role} of ${name}.`,
    refresh: ['organizations'],
    onDone: () => {
      sessionStorage.removeItem(KEY);
      void navigate({ to: '/organizations', search: {} });
    },
  });
  if (!user) return <SignInFirst />;
  return (
    <Page title="Invitation" lead={`You are signed in as ${user.email}.`}>
      {known && token === undefined ? (
        <Empty title="There is no invitation in this tab">Open the link of the invitation again.</Empty>
      ) : (
        <Action
          label="Accept the invitation"
          variant="filled"
          loading={accept.isPending}
          onAct={() => token !== undefined && accept.mutate({ body: { token } })}
        />
      )}
      {accept.error && <Failure error={accept.error} />}
    </Page>
  );
}
