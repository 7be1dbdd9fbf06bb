// Where else a run is told of: its signed log, and the call of another agent that it was.
import type { Output } from '../../api/client.ts';
import { PageLink } from '../../kit/page-link.tsx';

type Linked = Pick<Output<'myRuns', 'get'>, 'session_id' | 'grant_id'>;

export const hasLinks = ({ session_id, grant_id }: Linked): boolean => session_id !== null || grant_id !== null;

export function RunLinks({ record: { session_id, grant_id } }: { record: Linked }) {
  return (
    <>
      {session_id !== null && (
        <PageLink to="/sessions/$session_id" params={{ session_id }} inherit>
          Signed log
        </PageLink>
      )}
      {session_id !== null && grant_id !== null && ', '}
      {grant_id !== null && (
        <PageLink to="/calls/$grant_id" params={{ grant_id }} inherit>
          Call of the agent
        </PageLink>
      )}
    </>
  );
}
