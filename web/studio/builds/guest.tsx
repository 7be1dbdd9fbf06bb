// An agent's source without an account: a goal in, the files that a recipe wrote out, and after sign-in it is
// one's own.
import { Page } from '../../kit/page.tsx';
import { useTabState } from '../../kit/tab-state.ts';
import { GuestForm } from './guest-form.tsx';
import { GuestRun } from './guest-run.tsx';
import { guestToken } from './guest-token.ts';

export function StudioGuest() {
  const [token, setToken] = useTabState(guestToken.get, undefined);
  const hold = (next: string | undefined): void => {
    if (next === undefined) guestToken.clear();
    else guestToken.set(next);
    setToken(next);
  };
  return (
    <Page
      title="Try the studio"
      lead="Say what an agent is for, and read the source that a recipe writes for it. No account is needed. Nothing is run, nothing is fetched, and no language model is asked."
    >
      {token === undefined ? <GuestForm onMade={hold} /> : <GuestRun token={token} onAgain={() => hold(undefined)} />}
    </Page>
  );
}
