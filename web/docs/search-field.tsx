// Enter opens the first place that was found, the arrow down goes to the places.
import { CloseButton, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { firstResult, loadSearch } from './search.ts';

export function SearchField({ q }: { q: string }) {
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  // The address follows the letters a moment later: during typing, the field does not follow the address.
  const [text, setText] = useState(q);
  useEffect(() => {
    if (document.activeElement !== field.current) setText(q);
  }, [q]);
  const search = (wanted: string): void => {
    setText(wanted);
    void navigate({ to: '/docs', search: wanted === '' ? {} : { q: wanted }, replace: q !== '' });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && text !== '') search('');
    if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    const first = firstResult();
    if (!first) return;
    first.focus();
    if (event.key === 'Enter') first.click();
  };
  return (
    <TextInput
      ref={field}
      type="search"
      aria-label="Search the documentation"
      placeholder="Search the documentation"
      leftSection={<IconSearch size={15} />}
      rightSection={text === '' ? null : <CloseButton size="sm" aria-label="Clear the search" onClick={() => search('')} />}
      value={text}
      onFocus={() => void loadSearch()}
      onChange={(event) => search(event.currentTarget.value)}
      onKeyDown={onKey}
    />
  );
}
