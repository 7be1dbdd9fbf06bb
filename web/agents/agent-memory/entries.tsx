import { Code as InlineCode, Modal, Stack, Text, UnstyledButton } from '@mantine/core';
import { PageLink } from '../../kit/page-link.tsx';
import { type ReactNode, useState } from 'react';
import type { Output } from '../../api/client.ts';
import { type Pages, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { Json } from '../../kit/code.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Facts } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { number } from '../../kit/number.ts';

type Entry = Output<'agentMemory', 'list'>['items'][number];

const SHOWN = 120;

interface EntriesProps {
  name: string;
  label: string;
  pages: Pages<Entry> | readonly Entry[];
  empty: ReactNode;
  /** What the agent keeps for all whom it works for. */
  shared?: true;
}

export function Entries({ name, label, pages, empty, shared }: EntriesProps) {
  const [open, setOpen] = useState<Entry>();
  const removing = useSend('agentMemory', 'delete', { done: shared ? 'Record deleted.' : 'Forgotten.' });
  return (
    <>
      <List
        label={label}
        pages={pages}
        keyOf={({ namespace, key }) => `${namespace} ${key}`}
        empty={empty}
        columns={[
          {
            head: 'Key',
            wide: true,
            cell: (entry) => (
              <>
                <UnstyledButton fz="sm" onClick={() => setOpen(entry)} c="var(--mantine-color-anchor)" style={{ overflowWrap: 'anywhere', textAlign: 'start' }}>
                  {entry.key}
                </UnstyledButton>
                <Under>
                  <InlineCode style={{ overflowWrap: 'anywhere' }}>{inShort(entry.value)}</InlineCode>
                </Under>
              </>
            ),
          },
          {
            head: 'Namespace',
            cell: ({ namespace }) => (
              <PageLink to={shared ? '/agents/mine/$name/memory' : '/agents/$name/memory'} params={{ name }} search={{ namespace }} size="sm">
                {namespace}
              </PageLink>
            ),
          },
          { head: 'Size', end: true, cell: ({ size_bytes: size }) => <Text size="sm">{number(size)} B</Text> },
          { head: 'Changed', cell: ({ updated_at: at }) => <When at={at} /> },
          {
            head: 'Actions',
            end: true,
            cell: ({ namespace, key }) => (
              <AskingAction
                label={shared ? 'Delete' : 'Forget'}
                size="xs"
                variant="subtle"
                color="red"
                question={`${shared ? 'Delete' : 'Forget'} ${key}?`}
                onAct={() => removing.mutate({ params: { name, namespace, key }, query: { shared: shared === true } })}
              >
                {shared ? 'The record is deleted for all who call the agent.' : 'The entry is deleted; the agent no longer knows it in your calls.'}
              </AskingAction>
            ),
          },
        ]}
      />
      <Modal opened={open !== undefined} onClose={() => setOpen(undefined)} title={open?.key} size="lg">
        {open && (
          <Stack>
            <Json value={open.value} label="value" />
            <Facts
              of={{
                Namespace: open.namespace,
                Version: open.version,
                [shared ? 'Deleted' : 'Forgotten']: open.expires_at ? <When at={open.expires_at} /> : 'never',
                Written: <When at={open.created_at} />,
                Metadata: Object.keys(open.metadata).length > 0 ? <InlineCode>{JSON.stringify(open.metadata).slice(0, 2000)}</InlineCode> : null,
              }}
            />
          </Stack>
        )}
      </Modal>
    </>
  );
}

function inShort(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
