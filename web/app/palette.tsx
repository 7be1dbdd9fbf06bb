// Every page and every agent, by a few letters.
import { Group, Loader, Modal, ScrollArea, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconRobot, IconSearch } from '@tabler/icons-react';
import { memo, useCallback, useDeferredValue, useMemo, useState, type KeyboardEvent } from 'react';
import { read } from '../api/query.ts';
import { placesFor, type Place } from './nav.ts';
import { useSession } from './session.ts';
import styles from './palette.module.css';

const FOUND = 8;
const NONE: readonly Place[] = [];
const IDS: [RegExp, (id: string) => string][] = [
  [/^run_[0-9a-f-]{36}$/, (id) => `/runs/${id}`],
  [/^job_[0-9a-f-]{36}$/, (id) => `/jobs/${id}`],
  [/^grt_[0-9a-f-]{36}$/, (id) => `/grants/${id}`],
];

export function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const session = useSession();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [asked] = useDebouncedValue(text.trim(), 150);
  const agents = useQuery({ ...read('agents', 'search', { query: { q: asked, limit: FOUND } }), enabled: session.authenticated && asked.length > 1 });
  const entries = useMemo(
    () => [...byId(text.trim()), ...matching(placesFor(session), text), ...(agents.data ?? []).map(({ name }) => agentPlace(name))],
    [text, session, agents.data],
  );
  // The key that opens the palette and each letter are answered by the field; the list follows.
  const shown = useDeferredValue(entries, NONE);
  const go = useCallback(
    (place: Place | undefined): void => {
      if (!place) return;
      onClose();
      void navigate({ to: place.to });
    },
    [navigate, onClose],
  );
  const onKey = (event: KeyboardEvent): void => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      setAt((now) => (now + move + entries.length) % Math.max(entries.length, 1));
    }
    if (event.key === 'Enter') go(entries[at]);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="12vh"
      title="Search or go to"
      styles={{ header: { display: 'none' } }}
    >
      <TextInput
        autoFocus
        data-autofocus
        role="combobox"
        aria-expanded
        aria-controls="palette-list"
        aria-activedescendant={entries[at] && `palette-${at}`}
        aria-label="Search or go to"
        placeholder="A page, an agent, an id"
        size="md"
        variant="unstyled"
        px="md"
        leftSection={<IconSearch size={17} />}
        rightSection={agents.isFetching ? <Loader size={14} /> : null}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <ScrollArea.Autosize mah="50vh" className={styles.list}>
        <div id="palette-list" role="listbox" aria-label="Found">
          {shown.map((place, index) => (
            <Entry key={place.to} place={place} index={index} selected={index === at} onSelect={setAt} onGo={go} />
          ))}
          {entries.length === 0 && (
            <Text size="sm" c="dimmed" p="md" role="option" aria-selected={false}>
              Nothing of that name.
            </Text>
          )}
        </div>
      </ScrollArea.Autosize>
    </Modal>
  );
}

interface EntryProps {
  place: Place;
  index: number;
  selected: boolean;
  onSelect: (index: number) => void;
  onGo: (place: Place) => void;
}

const Entry = memo(function Entry({ place, index, selected, onSelect, onGo }: EntryProps) {
  return (
    <UnstyledButton
      id={`palette-${index}`}
      role="option"
      aria-selected={selected}
      tabIndex={-1}
      className={styles.entry}
      onMouseMove={() => onSelect(index)}
      onClick={() => onGo(place)}
    >
      <Group gap="sm" wrap="nowrap">
        <place.icon size={17} stroke={1.7} />
        <Text size="sm">{place.label}</Text>
      </Group>
    </UnstyledButton>
  );
});

function matching(places: readonly Place[], text: string): readonly Place[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return places.filter(({ label, words: more = '' }) => words.every((word) => `${label} ${more}`.toLowerCase().includes(word)));
}

const agentPlace = (name: string): Place => ({ label: name, to: `/agents/${name}`, icon: IconRobot });

function byId(text: string): Place[] {
  const found = IDS.find(([form]) => form.test(text));
  return found ? [{ label: `Open ${text}`, to: found[1](text), icon: IconSearch }] : [];
}
