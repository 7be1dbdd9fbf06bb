// Enter opens the first place that was found, the arrow down goes to the places.
import { CloseButton, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { IconSearch } from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import { firstFound, loadSearch } from './search.ts';

export function SearchField({ q }: { q: string }) {
  const navigate = useNavigate();
  const search = (text: string): void => {
    void navigate({ to: '/docs', search: text === '' ? {} : { q: text }, replace: q !== '' });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && q !== '') search('');
    if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    const first = firstFound();
    if (event.key === 'Enter') first?.click();
    else first?.focus();
  };
  return (
    <TextInput
      type="search"
      aria-label="Search the documentation"
      placeholder="Search the documentation"
      leftSection={<IconSearch size={15} />}
      rightSection={q === '' ? null : <CloseButton size="sm" aria-label="Clear the search" onClick={() => search('')} />}
      value={q}
      onFocus={() => void loadSearch()}
      onChange={(event) => search(event.currentTarget.value)}
      onKeyDown={onKey}
    />
  );
}
