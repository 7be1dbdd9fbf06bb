// Receipts of the agent's calls: all of them for its owner, one's own for others.
import { getRouteApi } from '@tanstack/react-router';
import { usePages } from '../../api/query.ts';
import { List, Under } from '../../kit/list.tsx';
import { Empty } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { lasted } from '../../kit/time.ts';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { When } from '../../kit/when.tsx';
import { useAgent } from './agent-data.ts';

const route = getRouteApi('/agents/$name/receipts');
const COLORS: Record<string, string> = { ok: 'ok', error: 'failed', cancelled: 'cancelled' };

export function Receipts() {
  const { name } = route.useParams();
  const { skills } = useAgent(name);
  const receipts = usePages('agentReceipts', 'list', { params: { name } });
  return (
    <List
      label={`Receipts of ${name}`}
      pages={receipts}
      keyOf={({ receipt_id }) => receipt_id}
      columns={[
        {
          head: 'Receipt',
          wide: true,
          cell: ({ receipt_id: id, source }) => (
            <>
              <PageLink to="/receipts" search={{ agent: name, id }} size="sm" ff="monospace">
                {id}
              </PageLink>
              {source === 'self' && <Under>handed in by the agent</Under>}
            </>
          ),
        },
        { head: 'Skill', cell: ({ skill }) => <code>{skill}</code> },
        { head: 'Outcome', cell: ({ status }) => <State of={COLORS[status] ?? status} label={status} /> },
        { head: 'Duration', end: true, cell: ({ payload }) => lasted(payload.started_at, payload.ended_at) },
        { head: 'When', cell: ({ created_at: at }) => <When at={at} /> },
      ]}
      empty={
        <Empty
          title="No receipts yet"
          action={
            <ButtonLink to="/agents/$name" params={{ name }} variant="light">
              Try it
            </ButtonLink>
          }
          command={`svc call ${name} ${skills[0] ?? '<skill>'}`}
        >
          Each call leaves a signed record. Those of your calls are here; the owner of the agent sees all.
        </Empty>
      }
    />
  );
}
