import { getRouteApi } from '@tanstack/react-router';
import { useRead, useSend } from '../../api/query.ts';
import { Action } from '../../kit/action.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { Facts, Page } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { lasted } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';

const route = getRouteApi('/calls/$grant_id');

export function CallPage() {
  const { grant_id: id } = route.useParams();
  const navigate = route.useNavigate();
  const call = useRead('subagentRuns', 'get', { params: { grant_id: id } }, { every: (last) => (last?.ended_at === null ? 4_000 : false) });
  const again = useSend('subagentRuns', 'rerun', {
    done: 'The call is made again.',
    onDone: ({ grant_id }) => void navigate({ to: '/calls/$grant_id', params: { grant_id } }),
  });
  const { agent, skill, caller_agent: caller, caller_run_id: callerRun, run_id: runId, receipt_id: receipt, rerun_of: before } = call;
  return (
    <Page
      title={`${agent}.${skill}`}
      beside={<State of={call.state} />}
      crumbs={[{ label: 'Runs', to: '/runs' }]}
      actions={
        <Action
          label="Make the call again"
          size="xs"
          loading={again.isPending}
          not={!call.can_rerun && 'Its arguments are not known: they were too large, several at once, or its report left them out.'}
          onAct={() => again.mutate({ params: { grant_id: id } })}
        />
      }
    >
      <Facts
        of={{
          Grant: <Copyable value={id} label="grant id" />,
          'Called by': caller ?? 'you',
          'In the run': callerRun && (
            <PageLink to="/runs/$run_id" params={{ run_id: callerRun }} inherit>
              {callerRun}
            </PageLink>
          ),
          Run: runId && (
            <PageLink to="/runs/$run_id" params={{ run_id: runId }} inherit>
              {runId}
            </PageLink>
          ),
          How: { call: 'through the platform', reported: 'directly, and reported', rerun: 'made again by you' }[call.source],
          Times: call.calls > 1 ? call.calls : null,
          'Made again from': before && (
            <PageLink to="/calls/$grant_id" params={{ grant_id: before }} inherit>
              {before}
            </PageLink>
          ),
          Began: <When at={call.started_at} />,
          Took: lasted(call.started_at, call.ended_at),
          Error: call.error_code,
          Receipt: receipt && (
            <PageLink to="/receipts" search={{ agent, id: receipt }} inherit>
              {receipt}
            </PageLink>
          ),
          'SHA-256 of the arguments': call.input_sha256 && <code>{call.input_sha256}</code>,
          'SHA-256 of the result': call.output_sha256 && <code>{call.output_sha256}</code>,
        }}
      />
    </Page>
  );
}
