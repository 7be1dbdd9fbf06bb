// What the agent keeps for all whom it works for, e.g. the records of a form. Its owner reads, deletes and
// saves it.
import { Button, Group, Stack, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconDownload } from '@tabler/icons-react';
import { Suspense, useDeferredValue, useState } from 'react';
import { usePages, useRead } from '../../api/query.ts';
import { Empty, Loading } from '../../kit/page.tsx';
import { filled } from '../../kit/search.ts';
import { saveText } from '../../kit/save-text.ts';
import { tell } from '../../kit/toasts.tsx';
import { Entries } from './entries.tsx';
import { allShared, csvOf, type Entry } from './export.ts';
import { NamespaceChosen, Search } from './search.tsx';

const route = getRouteApi('/agents/mine/$name/memory');

export function SharedMemory() {
  const { name } = route.useParams();
  const { q, namespace } = route.useSearch();
  const later = useDeferredValue({ q, namespace });
  const navigate = useNavigate();
  const go = (next: { q?: string | undefined; namespace?: string | undefined }): void => {
    void navigate({ to: '/agents/mine/$name/memory', params: { name }, search: filled(next), replace: true });
  };
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw="44rem">
        What the agent keeps in its shared memory, for all who call it. What it remembers about one caller is shown to that caller only.
      </Text>
      <Group gap="sm" justify="space-between">
        <Search q={q} onSearch={(words) => go({ q: words, namespace })} />
        <Group gap="sm">
          {namespace !== undefined && <NamespaceChosen namespace={namespace} onClear={() => go({ q })} />}
          <Save name={name} namespace={namespace} label="JSON" type="application/json" text={(entries) => `${JSON.stringify(entries, null, 2)}\n`} />
          <Save name={name} namespace={namespace} label="CSV" type="text/csv" text={csvOf} />
        </Group>
      </Group>
      <Suspense fallback={<Loading lines={3} />}>
        {later.q === undefined ? <All name={name} namespace={later.namespace} /> : <SearchResults name={name} q={later.q} namespace={later.namespace} />}
      </Suspense>
    </Stack>
  );
}

interface SaveProps {
  name: string;
  namespace: string | undefined;
  label: 'JSON' | 'CSV';
  type: string;
  text: (entries: readonly Entry[]) => string;
}

function Save({ name, namespace, label, type, text }: SaveProps) {
  const [isReading, setReading] = useState(false);
  const save = async (): Promise<void> => {
    setReading(true);
    try {
      saveText(`${name}-memory.${label.toLowerCase()}`, text(await allShared(name, namespace)), type);
    } catch (error) {
      tell.failed(error);
    } finally {
      setReading(false);
    }
  };
  return (
    <Button variant="default" leftSection={<IconDownload size={15} />} loading={isReading} onClick={() => void save()}>
      Download {label}
    </Button>
  );
}

function All({ name, namespace }: { name: string; namespace: string | undefined }) {
  const query = { shared: true, ...(namespace !== undefined && { namespace }) };
  const pages = usePages('agentMemory', 'list', { params: { name }, query });
  return (
    <Entries
      shared
      name={name}
      label={`Shared memory of ${name}`}
      pages={pages}
      empty={<Empty title="No records yet">What the agent stores for all its callers is listed here, e.g. each form that was sent to it.</Empty>}
    />
  );
}

function SearchResults({ name, q, namespace }: { name: string; q: string; namespace: string | undefined }) {
  const query = { q, shared: true, limit: 50, ...(namespace !== undefined && { namespace }) };
  const { items } = useRead('agentMemory', 'search', { params: { name }, query });
  return (
    <Entries
      shared
      name={name}
      label="Records found"
      pages={items}
      empty={<Empty title="No records match">Keys, values and metadata are searched; a word may be misspelt.</Empty>}
    />
  );
}
