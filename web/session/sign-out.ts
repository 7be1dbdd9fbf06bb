import { client } from '../api/client.ts';
import { dropDrafts } from '../form/draft.ts';
import { tell } from '../kit/toasts.tsx';
import { tellTabs } from './tabs.ts';

/**
 * Ends the session here, and at the identity provider, which sends the browser back. everywhere: those of the
 * account's other browsers, too.
 */
export async function signOut({ everywhere = false } = {}): Promise<void> {
  try {
    const { end_session_url, redirect_to } = await client.auth.logout({ query: { redirect_to: '/', everywhere } });
    dropDrafts();
    tellTabs({ user: null, out: true });
    // A whole new page: nothing of the account stays in memory.
    location.assign(end_session_url ?? redirect_to);
  } catch (error) {
    tell.failed(error);
  }
}
