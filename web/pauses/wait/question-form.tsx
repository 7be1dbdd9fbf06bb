// The answer to a question: words, one of some words, or a form.
import { Button, Group, Kbd, Stack, Text, Textarea } from '@mantine/core';
import { useState, type KeyboardEvent } from 'react';
import { spoken } from '#contract/wire/spoken.ts';
import { keepDraft, readDraft } from '../../form/draft.ts';
import { CheckedForm } from '../../form/lazy.tsx';
import { explain } from '../../kit/explain.ts';
import { useTabState } from '../../kit/tab-state.ts';
import type { Deciding } from './use-decision.ts';
import type { Waiting } from './waiting.ts';

interface QuestionFormProps {
  wait: Waiting;
  deciding: Deciding;
  /** Where what is typed is kept. */
  draft: string;
}

export function QuestionForm({ wait, deciding, draft }: QuestionFormProps) {
  const choices = choicesOf(wait);
  if (choices) return <Choices choices={choices} deciding={deciding} />;
  return wait.schema ? <Form wait={wait} schema={wait.schema} deciding={deciding} draft={draft} /> : <Words wait={wait} deciding={deciding} draft={draft} />;
}

const MOST_BUTTONS = 12;

/** Where the schema leaves a choice between a few words. */
export function choicesOf({ choices, schema }: Pick<Waiting, 'choices' | 'schema'>): string[] | undefined {
  const words: unknown = choices ?? schema?.['enum'];
  return Array.isArray(words) && words.length > 0 && words.length <= MOST_BUTTONS && words.every((word) => typeof word === 'string') ? words : undefined;
}

function Choices({ choices, deciding }: { choices: string[]; deciding: Deciding }) {
  const [chosen, setChosen] = useState<string>();
  const choose = (word: string): void => {
    if (deciding.isSending) return;
    setChosen(word);
    deciding.decide({ answer: word });
  };
  const onKey = (event: KeyboardEvent): void => {
    const word = choices[Number(event.key) - 1];
    if (word === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    choose(word);
  };
  return (
    <Group gap="xs" role="group" aria-label="Answers" onKeyDown={onKey}>
      {choices.map((word, index) => (
        <Button
          key={word}
          variant="default"
          loading={deciding.isSending && chosen === word}
          onClick={() => choose(word)}
          {...(index < 9 && { rightSection: <Kbd size="xs">{index + 1}</Kbd> })}
          styles={{ root: { height: 'auto', minHeight: 36, paddingBlock: 6 }, label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } }}
        >
          <bdi>{word}</bdi>
        </Button>
      ))}
    </Group>
  );
}

function Words({ wait, deciding, draft }: QuestionFormProps) {
  const [text, setText] = useTabState(() => textIn(readDraft(draft)), '');
  const answer = (): void => {
    if (text.trim() !== '' && !deciding.isSending) deciding.decide({ answer: text });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    answer();
  };
  return (
    <Stack gap="xs">
      <Textarea
        aria-label={`Answer: ${wait.prompt.slice(0, 120)}`}
        placeholder="Your answer"
        autosize
        minRows={1}
        maxRows={12}
        maxLength={65_536}
        dir="auto"
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          keepDraft(draft, currentTarget.value === '' ? undefined : currentTarget.value);
        }}
        onKeyDown={onKey}
      />
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          <Kbd size="xs">Enter</Kbd> sends, <Kbd size="xs">Shift Enter</Kbd> starts a new line
        </Text>
        <Button size="xs" onClick={answer} loading={deciding.isSending} disabled={text.trim() === ''}>
          Answer
        </Button>
      </Group>
    </Stack>
  );
}

function Form({ wait, schema, deciding, draft }: QuestionFormProps & { schema: Record<string, unknown> }) {
  const [value, setValue] = useState<unknown>(schema['type'] === 'object' ? {} : undefined);
  const issues = deciding.error ? explain(deciding.error).issues : [];
  return (
    <CheckedForm
      schema={schema}
      value={value}
      onChange={setValue}
      onSubmit={(answer) => deciding.decide({ answer })}
      issues={issues.map(({ path, message }) => ({ path: within(path), message: spoken(message) }))}
      disabled={deciding.isSending}
      label={`Answer to ${wait.agent}: ${wait.prompt.slice(0, 60)} (${wait.wait_id.slice(-4)})`}
      draft={draft}
      json={false}
    >
      <Group justify="end">
        <Button type="submit" size="xs" loading={deciding.isSending}>
          Send
        </Button>
      </Group>
    </CheckedForm>
  );
}

const textIn = (draft: unknown): string => (typeof draft === 'string' ? draft : '');

/** body, answer (or values), then the place in the form. */
function within(path: readonly (string | number)[]): readonly (string | number)[] {
  return path.slice(path[0] === 'body' ? 2 : 0);
}
