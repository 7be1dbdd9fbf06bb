// What the agent remembers for the reader, and only for the reader.
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconPlus } from '@tabler/icons-react';
import { Suspense, useDeferredValue } from 'react';
import { usePages, useRead } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Empty, Loading } from '../../kit/page.tsx';
import { filled } from '../../kit/search.ts';
import { Entries } from './entries.tsx';
import { NamespaceChosen, Search } from './search.tsx';

const route = getRouteApi('/agents/$name/memory');

export function Memory() {
  const { name } = route.useParams();
  const { q, namespace } = useDeferredValue(route.useSearch());
  return (
    <Stack gap="md">
      <Bar name={name} />
      <Suspense fallback={<Loading lines={3} />}>
        {q === undefined ? <All name={name} namespace={namespace} /> : <SearchResults name={name} q={q} namespace={namespace} />}
      </Suspense>
    </Stack>
  );
}

function Bar({ name }: { name: string }) {
  const { q = '', namespace } = route.useSearch();
  const [isOpen, { open, close }] = useDisclosure();
  const navigate = useNavigate();
  const go = (change: { q?: string | undefined; namespace?: string | undefined }): void => {
    void navigate({ to: '/agents/$name/memory', params: { name }, search: filled({ q, namespace, ...change }), replace: true });
  };
  return (
    <Group gap="sm" justify="space-between">
      <Search q={q} onSearch={(words) => go({ q: words })} />
      <Group gap="sm">
        {namespace !== undefined && <NamespaceChosen namespace={namespace} onClear={() => go({ namespace: undefined })} />}
        <Button leftSection={<IconPlus size={15} />} variant="default" onClick={open}>
          Add an entry
        </Button>
      </Group>
      <Modal opened={isOpen} onClose={close} title={`What ${name} is to remember`} size="lg">
        <RequestForm
          group="agentMemory"
          route="upsert"
          input={{ params: { name } }}
          fields={['key', 'value', 'namespace', 'metadata', 'ttl_seconds']}
          submit="Remember"
          done={({ key }) => `${name} remembers ${key}.`}
          onDone={close}
          onCancel={close}
        />
      </Modal>
    </Group>
  );
}

function All({ name, namespace }: { name: string; namespace: string | undefined }) {
  const pages = usePages('agentMemory', 'list', { params: { name }, query: namespace === undefined ? {} : { namespace } });
  return (
    <Entries
      name={name}
      label={`What ${name} remembers`}
      pages={pages}
      empty={<Empty title="No entries yet">What the agent keeps between your calls is here, and what you add. Only you and the agent see it.</Empty>}
    />
  );
}

function SearchResults({ name, q, namespace }: { name: string; q: string; namespace: string | undefined }) {
  const { items } = useRead('agentMemory', 'search', { params: { name }, query: { q, limit: 50, ...(namespace !== undefined && { namespace }) } });
  return (
    <Entries
      name={name}
      label="Entries found"
      pages={items}
      empty={<Empty title="No entry was found">Keys, values and metadata are searched; a word may be misspelt.</Empty>}
    />
  );
}
