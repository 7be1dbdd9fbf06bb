// Every page and every agent, by a few letters.
import { Loader, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconRobot, IconSearch } from '@tabler/icons-react';
import { memo, useCallback, useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { createPortal } from 'react-dom';
import { read } from '../api/query.ts';
import { placesFor, type Place } from './nav.ts';
import { useSession } from '../session/session.ts';
import styles from './palette.module.css';

const MAX_AGENTS = 8;
const NONE: readonly Place[] = [];
const IDS: [RegExp, (id: string) => string][] = [
  [/^run_[0-9a-f-]{36}$/, (id) => `/runs/${id}`],
  [/^job_[0-9a-f-]{36}$/, (id) => `/jobs/${id}`],
  [/^grt_[0-9a-f-]{36}$/, (id) => `/grants/${id}`],
];

export interface PaletteProps {
  opened: boolean;
  onClose: () => void;
}

/**
 * Made once, then shown and hidden only by its visibility. To make a dialog anew, or to make the page below
 * inert as the browser's own dialog does, takes a slow processor a tenth of a second.
 */
export function Palette({ opened, onClose }: PaletteProps) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (!opened) return undefined;
    const before = document.activeElement;
    field.current?.focus();
    field.current?.select();
    // A hidden element loses the focus automatically.
    if (!(before instanceof HTMLElement) || before === document.body) return undefined;
    return () => before.focus({ preventScroll: true });
  }, [opened]);
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onClose();
    // The field is all of it that a key goes to.
    if (event.key === 'Tab') event.preventDefault();
  };
  return createPortal(
    <div className={styles.ground} data-shown={opened || undefined} onClick={(event) => event.target === event.currentTarget && onClose()}>
      <div role="dialog" aria-modal aria-label="Search or go to" className={styles.palette} onKeyDown={onKey}>
        <Finder opened={useDeferredValue(opened)} field={field} onClose={onClose} />
      </div>
    </div>,
    document.body,
  );
}

const Finder = memo(function Finder({ opened, field, onClose }: PaletteProps & { field: RefObject<HTMLInputElement | null> }) {
  const navigate = useNavigate();
  const session = useSession();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [asked] = useDebouncedValue(text.trim(), 150);
  const agents = useQuery({ ...read('agents', 'search', { query: { q: asked, limit: MAX_AGENTS } }), enabled: session.authenticated && asked.length > 1 });
  const entries = useMemo(
    () => [...byId(text.trim()), ...matching(placesFor(session), text), ...(agents.data ?? []).map(({ name }) => agentPlace(name))],
    [text, session, agents.data],
  );
  // The key that opens the palette and each letter are answered by the field; the list follows.
  const shown = useDeferredValue(opened ? entries : NONE);
  useEffect(() => {
    if (opened) return;
    setText('');
    setAt(0);
  }, [opened]);
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
    <>
      <TextInput
        ref={field}
        role="combobox"
        // A dialog below leaves Escape to this one.
        data-mantine-stop-propagation="true"
        aria-expanded
        aria-controls="palette-list"
        aria-activedescendant={entries[at] && `palette-${at}`}
        aria-label="Search or go to"
        placeholder="A page, an agent, an id"
        size="md"
        variant="unstyled"
        leftSectionWidth={48}
        leftSection={<IconSearch size={17} />}
        rightSection={agents.isFetching ? <Loader size={14} /> : null}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <div id="palette-list" role="listbox" aria-label="Found" className={styles.list}>
        {shown.map((place, index) => (
          <Entry key={place.to} place={place} index={index} selected={index === at} onSelect={setAt} onGo={go} />
        ))}
        {entries.length === 0 && (
          <Text size="sm" c="dimmed" p="md" role="option" aria-selected={false}>
            No results.
          </Text>
        )}
      </div>
    </>
  );
});

interface EntryProps {
  place: Place;
  index: number;
  selected: boolean;
  onSelect: (index: number) => void;
  onGo: (place: Place) => void;
}

const Entry = memo(function Entry({ place, index, selected, onSelect, onGo }: EntryProps) {
  return (
    // Of plain elements, as there are half a hundred: the field has the focus and the keys.
    <div
      id={`palette-${index}`}
      role="option"
      aria-selected={selected}
      className={styles.entry}
      onMouseMove={() => onSelect(index)}
      onClick={() => onGo(place)}
    >
      <place.icon size={17} stroke={1.7} />
      <span>{place.label}</span>
    </div>
  );
});

function matching(places: readonly Place[], text: string): readonly Place[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return places.filter(({ label, words: more = '' }) => words.every((word) => `${label} ${more}`.toLowerCase().includes(word)));
}

const agentPlace = (name: string): Place => ({ label: name, to: `/agents/${name}`, icon: IconRobot });

function byId(text: string): Place[] {
  const idRoute = IDS.find(([form]) => form.test(text));
  return idRoute ? [{ label: `Open ${text}`, to: idRoute[1](text), icon: IconSearch }] : [];
}
