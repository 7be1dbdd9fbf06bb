// The field of the palette and what it finds. An action that is about one agent asks for it in the same
// field.
import { Loader, Text, TextInput, useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconSearch } from '@tabler/icons-react';
import { memo, useCallback, useDeferredValue, useEffect, useMemo, useState, type KeyboardEvent, type RefObject } from 'react';
import { actsFor } from '../api/organization.ts';
import { read } from '../api/query.ts';
import { tell } from '../kit/toasts.tsx';
import { useOrganizations } from '../session/organizations.ts';
import { useSession } from '../session/session.ts';
import type { Doing } from './palette-actions.ts';
import { accountsFor, actionsFor, agentEntry, byId, choiceEntry, type Entry, matching, pagesFor } from './palette-entries.ts';
import { isDark } from './theme.ts';
import styles from './palette.module.css';

const MAX_AGENTS = 8;
const NONE: readonly Entry[] = [];

interface FinderProps {
  opened: boolean;
  onClose: () => void;
  field: RefObject<HTMLInputElement | null>;
}

/** What was chosen and still asks for something. */
interface Step {
  label: string;
  does: Exclude<Doing, { to: string } | { act: unknown }>;
}

export const Finder = memo(function Finder({ opened, field, onClose }: FinderProps) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [step, setStep] = useState<Step>();
  const listed = useEntries(opened, text, step);
  // The key that opens the palette and each letter are answered by the field; the list follows.
  const shown = useDeferredValue(opened ? listed.entries : NONE);
  const begin = useCallback((next?: Step): void => {
    setStep(next);
    setText('');
    setAt(0);
  }, []);
  useEffect(() => {
    if (!opened) begin();
  }, [opened, begin]);
  const take = useTaking(begin, onClose);
  const { entries } = listed;
  const onKey = (event: KeyboardEvent): void => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      setAt((now) => (now + move + entries.length) % Math.max(entries.length, 1));
    }
    if (event.key === 'Enter') take(entries[at]);
    // It may be opened again before the list has followed.
    if (event.key === 'Escape') begin();
    if (event.key === 'Backspace' && text === '' && step) begin();
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
        placeholder={step ? questionOf(step) : 'A page, an action, an agent, an id'}
        size="md"
        variant="unstyled"
        leftSectionWidth={48}
        leftSection={<IconSearch size={17} />}
        rightSection={listed.isFetching ? <Loader size={14} /> : null}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <div id="palette-list" role="listbox" aria-label={step?.label ?? 'Found'} className={styles.list}>
        {shown.map((entry, index) => (
          <Option key={entry.key} entry={entry} index={index} selected={index === at} onSelect={setAt} onTake={take} />
        ))}
        {entries.length === 0 && (
          <Text size="sm" c="dimmed" p="md" role="option" aria-selected={false}>
            {listed.isFetching ? 'Searching…' : 'No results.'}
          </Text>
        )}
      </div>
    </>
  );
});

const questionOf = ({ label, does }: Step): string => ('ask' in does ? does.ask : `${label}: which ${'ofAgent' in does ? 'agent' : 'organization'}?`);

function useEntries(opened: boolean, text: string, step: Step | undefined): { entries: readonly Entry[]; isFetching: boolean } {
  const session = useSession();
  const [asked] = useDebouncedValue(text.trim(), 150);
  const canAsk = opened && session.authenticated;
  const agents = useQuery({ ...read('agents', 'search', { query: { q: asked, limit: MAX_AGENTS } }), enabled: canAsk && asked.length > 1 && !step });
  const mine = useQuery({ ...read('agents', 'mine', { query: { limit: 1000 } }), enabled: canAsk && step !== undefined && 'ofAgent' in step.does });
  const organizations = useOrganizations(canAsk && !session.acts_only_for);
  const entries = useMemo(() => {
    if (step) return matching(choicesOf(step, mine.data ?? [], organizations), text);
    const all = [...actionsFor(session), ...accountsFor(organizations, actsFor()), ...pagesFor(session)];
    // Nothing is typed: the pages first, as in the menu.
    const known = text.trim() === '' ? [...pagesFor(session), ...all.filter(({ isAction }) => isAction)] : matching(all, text);
    return [...byId(text.trim()), ...known, ...(agents.data ?? []).map(({ name }) => agentEntry(name))];
  }, [text, session, agents.data, mine.data, organizations, step]);
  return { entries, isFetching: agents.isFetching || mine.isFetching };
}

function choicesOf({ label, does }: Step, agents: readonly { name: string }[], organizations: readonly { slug: string; name: string }[]): Entry[] {
  if ('ofAgent' in does) return agents.map(({ name }) => choiceEntry(name, does.ofAgent(name)));
  if ('ofOrganization' in does) return organizations.map(({ slug, name }) => ({ ...choiceEntry(name, does.ofOrganization(slug)), key: slug, words: slug }));
  return [choiceEntry(label, does.next)];
}

/** Goes there, does it, or asks for what it needs. */
function useTaking(begin: (step?: Step) => void, onClose: () => void): (entry: Entry | undefined) => void {
  const navigate = useNavigate();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return useCallback(
    (entry) => {
      if (!entry) return;
      const { does, label } = entry;
      if (!('to' in does) && !('act' in does)) return begin({ label, does });
      // It may be opened again before the list has followed.
      begin();
      onClose();
      const go = (to: string): void => void navigate({ href: to });
      if ('to' in does) return go(does.to);
      Promise.resolve(does.act({ go, switchTheme: () => setColorScheme(isDark(colorScheme) ? 'light' : 'dark') })).catch(tell.failed);
    },
    [navigate, onClose, begin, colorScheme, setColorScheme],
  );
}

interface OptionProps {
  entry: Entry;
  index: number;
  selected: boolean;
  onSelect: (index: number) => void;
  onTake: (entry: Entry) => void;
}

const Option = memo(function Option({ entry, index, selected, onSelect, onTake }: OptionProps) {
  return (
    // Of plain elements, as there are half a hundred: the field has the focus and the keys.
    <div
      id={`palette-${index}`}
      role="option"
      aria-selected={selected}
      aria-label={entry.label}
      className={styles.entry}
      onMouseMove={() => onSelect(index)}
      onClick={() => onTake(entry)}
    >
      <entry.icon size={17} stroke={1.7} />
      <span>{entry.label}</span>
      <span className={styles.kind} data-kind={entry.kind} />
    </div>
  );
});
