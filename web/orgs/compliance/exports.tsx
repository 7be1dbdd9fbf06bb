// Files of decision records, which anyone can check with the published keys.
import { Anchor, Box, Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { linkTo } from '../../api/organization.ts';
import { usePages, useSend } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Action } from '../../kit/action.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { Frame } from './frame.tsx';

type Export = Output<'compliance', 'exports'>['items'][number];
const route = getRouteApi('/organizations/$slug/compliance/exports');

export function Exports() {
  const { slug } = route.useParams();
  const { edit } = route.useSearch();
  const navigate = route.useNavigate();
  const pages = usePages('compliance', 'exports', { params: { slug }, query: { limit: 50 } }, { every: 3_000 });
  const close = (): void => void navigate({ search: {} });
  return (
    <Frame
      slug={slug}
      lead="The newest decision records of a range with the state of every control, in one signed file."
      actions={<Button onClick={() => void navigate({ search: { edit: 'new' } })}>New export</Button>}
    >
      {edit === 'new' && (
        <Section title="New export">
          <Box maw={640}>
            <RequestForm
              group="compliance"
              route="export"
              input={{ params: { slug } }}
              submit="Export"
              done="It is being made."
              refresh={['compliance']}
              onDone={close}
              onCancel={close}
            />
          </Box>
        </Section>
      )}
      <List
        label="Exports"
        pages={pages}
        columns={columnsOf(slug)}
        keyOf={({ export_id }) => export_id}
        empty={<Empty title="No exports" command={`svc compliance export ${slug} -o ${slug}.ndjson`} />}
      />
    </Frame>
  );
}

const columnsOf = (slug: string): Column<Export>[] => [
  { head: 'Export', wide: true, cell: (one) => <Named slug={slug} of={one} /> },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Records', end: true, cell: ({ counts }) => counts?.['records'] ?? '' },
  { head: 'Made', cell: ({ created_at }) => <When at={created_at} /> },
  { head: 'Actions', end: true, cell: (one) => <Cancel slug={slug} of={one} /> },
];

function Named({ slug, of: { export_id, sha256, expires_at, error } }: { slug: string; of: Export }) {
  const href = linkTo(`/v1/me/organizations/${slug}/compliance/exports/${export_id}/file`);
  return (
    <>
      {sha256 === null ? (
        export_id
      ) : (
        <Anchor href={href} download={`${slug}-${export_id}.ndjson`} size="sm">
          {export_id}
        </Anchor>
      )}
      {error !== null && <Under>{error.message}</Under>}
      {sha256 !== null && expires_at !== null && (
        <Under>
          Removed <When at={expires_at} />
        </Under>
      )}
    </>
  );
}

function Cancel({ slug, of: { export_id, state } }: { slug: string; of: Export }) {
  const cancel = useSend('compliance', 'cancelExport', { done: 'It is being cancelled.', refresh: ['compliance'] });
  if (state !== 'queued' && state !== 'running') return null;
  return <Action label="Cancel" size="xs" loading={cancel.isPending} onAct={() => cancel.mutate({ params: { slug, export_id } })} />;
}
