import { Button, CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';

const PAUSE_MS = 200;

export function Search({ q = '', onSearch }: { q: string | undefined; onSearch: (words: string) => void }) {
  const [typed, setTyped] = useState(q);
  const say = useDebouncedCallback(onSearch, PAUSE_MS);
  return (
    <TextInput
      aria-label="Search the memory"
      placeholder="Words of a key, a value or its metadata"
      leftSection={<IconSearch size={16} />}
      value={typed}
      maxLength={500}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        say(currentTarget.value.trim());
      }}
      style={{ flex: '1 1 14rem', maxWidth: '28rem' }}
      autoComplete="off"
    />
  );
}

export function NamespaceChosen({ namespace, onClear }: { namespace: string; onClear: () => void }) {
  return (
    <Button variant="light" component="div" rightSection={<CloseButton size="xs" aria-label="All namespaces" onClick={onClear} />}>
      {namespace}
    </Button>
  );
}
