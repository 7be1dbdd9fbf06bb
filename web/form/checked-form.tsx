// A form that is checked before it is sent, and while one types from then on. "JSON" shows the same value as
// text.
import { Anchor, SegmentedControl, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import type { FormIssue } from './issues.ts';
import { JsonEditor } from './json-editor.tsx';
import { type JsonSchema, SchemaForm } from './schema-form.tsx';
import { useDraft } from './use-draft.ts';
import { useCheck } from './use-check.ts';

export interface CheckedFormProps {
  schema: JsonSchema;
  value: unknown;
  onChange: (value: unknown) => void;
  /** With a value that fits, as far as the browser can tell. */
  onSubmit: (value: unknown) => void;
  /** What the platform refused. */
  issues?: readonly FormIssue[];
  disabled?: boolean;
  /** Below the fields: a refusal, and the buttons; one is of type submit. */
  children: ReactNode;
  /** For who does not see it: what the form is for. */
  label?: string;
  /** A form of the platform's own; the params of its route. */
  about?: Readonly<Record<string, string>>;
  /** Where what is typed is kept until it is sent (draft.ts). */
  draft?: string | undefined;
  /** false: no JSON beside it. */
  json?: boolean;
}

type Shown = 'form' | 'json';

export function CheckedForm({
  schema,
  value,
  onChange,
  onSubmit,
  issues = [],
  disabled = false,
  children,
  label = 'Values',
  json = true,
  about,
  draft: draftName,
}: CheckedFormProps) {
  const [shown, setShown] = useState<Shown>('form');
  const place = useRef<HTMLFormElement>(null);
  const { found, checkNow } = useCheck(schema, value);
  const draft = useDraft(draftName, schema, value, onChange);
  const all = [...found, ...issues];
  useFocusOnFirst(place, issues);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // A dialog's form within the page's must not send both.
    event.stopPropagation();
    void checkNow().then((wrong) => {
      if (wrong.length === 0) return onSubmit(value);
      setShown('form');
      // After the fields say what is wrong.
      setTimeout(() => focusFirst(place.current), 0);
    });
  };
  return (
    <form ref={place} onSubmit={submit} noValidate aria-label={label}>
      <Stack gap="md">
        {draft.isRestored && (
          <Text size="sm" c="dimmed" role="status">
            Restored what you typed.{' '}
            <Anchor component="button" type="button" size="sm" onClick={draft.discard}>
              Discard
            </Anchor>
          </Text>
        )}
        {json && (
          <SegmentedControl
            size="xs"
            style={{ alignSelf: 'end' }}
            aria-label="How the values are shown"
            data={[
              { value: 'form', label: 'Form' },
              { value: 'json', label: 'JSON' },
            ]}
            value={shown}
            onChange={(next) => setShown(next === 'json' ? 'json' : 'form')}
          />
        )}
        {shown === 'form' ? (
          <SchemaForm schema={schema} value={value} onChange={draft.set} issues={all} disabled={disabled} {...(about && { about })} />
        ) : (
          <JsonEditor value={value} onChange={draft.set} label={`${label} as JSON`} disabled={disabled} />
        )}
        {children}
      </Stack>
    </form>
  );
}

function useFocusOnFirst(place: { current: HTMLElement | null }, issues: readonly FormIssue[]): void {
  const issuesKey = JSON.stringify(issues);
  useEffect(() => {
    if (issues.length > 0) focusFirst(place.current);
  }, [issuesKey]);
}

function focusFirst(place: HTMLElement | null): void {
  place?.querySelector<HTMLElement>('[aria-invalid=true], [data-wrong]')?.focus();
}
