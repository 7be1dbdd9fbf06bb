import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { usePages } from '../../api/query.ts';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { byId, stateOf, writesTo } from './model.ts';
import { kindInWords, Patterns } from './shared.tsx';

const Share = lazy(async () => ({ default: (await import('./share.tsx')).Share }));

export function Grants() {
  const pages = usePages('grants', 'list', { query: { limit: 100 } });
  const all = byId(pages.items);
  const [isSharing, { open, close }] = useDisclosure();
  return (
    <Page
      title="Grants"
      lead="Which agents may read or write your files, the newest first. A grant ends with its time, or with the run it was given in."
      actions={<Button onClick={open}>Share files</Button>}
    >
      <List
        label="Grants"
        pages={pages}
        keyOf={({ grant_id }) => grant_id}
        empty={
          <Empty
            title="No agent may see your files."
            action={
              <ButtonLink to="/files" variant="light">
                Open files
              </ButtonLink>
            }
            command={'svc files share AGENT "notes/**"'}
          >
            An agent sees a file only by a grant that you give, when you call it or here.
          </Empty>
        }
        columns={[
          {
            head: 'Agent',
            wide: true,
            cell: (grant) => (
              <>
                <PageLink to="/grants/$grant_id" params={{ grant_id: grant.grant_id }} dir="auto">
                  {grant.audience}
                </PageLink>
                <Under>{kindInWords(grant)}</Under>
              </>
            ),
          },
          { head: 'State', cell: (grant) => <State of={stateOf(grant, all)} /> },
          { head: 'May read', cell: ({ allow_patterns }) => <Patterns of={allow_patterns} /> },
          { head: 'May write', cell: (grant) => writesTo(grant) },
          {
            head: 'Until',
            end: true,
            cell: ({ expires_at, revoked_at }) =>
              revoked_at === null ? (
                <When at={expires_at} />
              ) : (
                <>
                  revoked <When at={revoked_at} />
                </>
              ),
          },
        ]}
      />
      <Suspense>{isSharing && <Share patterns={[]} onClose={close} />}</Suspense>
    </Page>
  );
}
