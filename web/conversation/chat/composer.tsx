// Where a message is written: Enter sends it, Shift+Enter starts a new line, "@" names an agent and its
// skill.
import { ActionIcon, Group, Paper, Text, Textarea, UnstyledButton } from '@mantine/core';
import { IconSend2 } from '@tabler/icons-react';
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useTabState } from '../../kit/tab-state.ts';
import { draftOf, keepDraft } from './draft.ts';
import { mentionAt } from './mention.ts';
import { Refusal, whereOf } from './refusal.tsx';
import { type Suggestion, useSuggestions } from './suggestions.ts';
import styles from './chat.module.css';

export interface ComposerProps {
  threadId: string | null;
  error: Error | null;
  isSending: boolean;
  onSend(message: string, sent: () => void): void;
  /** Beside the help below it. */
  children?: ReactNode;
}

const LONGEST = 65_536;

export function Composer({ threadId, error, isSending, onSend, children }: ComposerProps) {
  const [text, setText, known] = useTabState(() => draftOf(threadId), '');
  const [caret, setCaret] = useState(0);
  const [chosen, setChosen] = useState<string>();
  /** Closed with Escape, until something else is typed. */
  const [closedAt, setClosedAt] = useState(-1);
  const field = useRef<HTMLTextAreaElement>(null);
  const move = useRef<number>(undefined);
  const mention = mentionAt(text, caret);
  const { list } = useSuggestions(mention && mention.at !== closedAt ? mention : undefined);
  const at = Math.max(
    0,
    list.findIndex(({ key }) => key === chosen),
  );

  useEffect(() => (known ? keepDraft(threadId, text) : undefined), [known, threadId, text]);
  useLayoutEffect(() => {
    if (move.current === undefined) return;
    field.current?.setSelectionRange(move.current, move.current);
    move.current = undefined;
  }, [text]);
  useEffect(() => {
    const place = whereOf(error);
    if (place === undefined) return;
    field.current?.focus();
    field.current?.setSelectionRange(place, Math.min(place + 1, field.current.value.length));
  }, [error]);

  const change = (next: string, nextCaret: number): void => {
    setText(next);
    setCaret(nextCaret);
    setChosen(undefined);
  };
  const pick = (suggestion: Suggestion): void => {
    const done = suggestion.put(text, caret);
    move.current = done.caret;
    change(done.text, done.caret);
    field.current?.focus();
  };
  const submit = (): void => {
    if (text.trim() === '' || isSending) return;
    onSend(text, () => change('', 0));
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const suggestion = list[at];
    if (suggestion) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) setChosen(list[(at + step + list.length) % list.length]?.key);
      else if (event.key === 'Escape') setClosedAt(mention?.at ?? -1);
      else if ((event.key === 'Enter' && !event.shiftKey) || event.key === 'Tab') pick(suggestion);
      else return;
      event.preventDefault();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      submit();
    }
  };
  return (
    <div className={styles.composer}>
      <div style={{ position: 'relative' }}>
        {list.length > 0 && <Suggestions list={list} at={at} onMove={setChosen} onPick={pick} />}
        <Textarea
          ref={field}
          aria-label="Message"
          placeholder="Say what you need, or name a skill: @agent.skill"
          autosize
          minRows={2}
          maxRows={12}
          maxLength={LONGEST}
          dir="auto"
          value={text}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          {...(list.length > 0 && { 'aria-controls': 'chat-suggestions', 'aria-activedescendant': `chat-suggestion-${at}` })}
          onChange={({ currentTarget }) => {
            setClosedAt(-1);
            change(currentTarget.value, currentTarget.selectionStart);
          }}
          onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
          onKeyDown={onKey}
          rightSection={
            <ActionIcon aria-label="Send" data-hint="Send (Enter)" size="lg" onClick={submit} loading={isSending} aria-disabled={text.trim() === ''}>
              <IconSend2 size={18} />
            </ActionIcon>
          }
          rightSectionWidth={48}
        />
      </div>
      <Group justify="space-between" mt={6} gap="xs">
        <Text size="xs" c="dimmed">
          Enter sends, Shift+Enter starts a new line, @ names an agent.
        </Text>
        {children}
      </Group>
      {error && <Refusal error={error} />}
    </div>
  );
}

function Suggestions({ list, at, onMove, onPick }: { list: readonly Suggestion[]; at: number; onMove(key: string): void; onPick(one: Suggestion): void }) {
  return (
    <Paper withBorder shadow="md" id="chat-suggestions" role="listbox" aria-label="Agents and skills" className={styles.suggestions}>
      {list.map((one, index) => (
        <UnstyledButton
          key={one.key}
          id={`chat-suggestion-${index}`}
          role="option"
          aria-selected={index === at}
          tabIndex={-1}
          className={styles.suggestion}
          onMouseMove={() => onMove(one.key)}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(one)}
        >
          <Text size="sm" fw={600} span>
            {one.label}
          </Text>{' '}
          <Text size="xs" c="dimmed" span lineClamp={1} dir="auto">
            {one.detail}
          </Text>
        </UnstyledButton>
      ))}
    </Paper>
  );
}
