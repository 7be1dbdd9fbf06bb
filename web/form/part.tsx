// One part of a form, as its schema says it is drawn.
import { Button, Checkbox, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, type ReactNode } from 'react';
import { ChoiceView, ConstantView, YesNoView } from './choice-parts.tsx';
import { type Field, fieldOf } from './field.ts';
import { FileView } from './file-part.tsx';
import { type PartProps, useForm, useIssue } from './form-context.ts';
import { JsonView } from './json-part.tsx';
import { ListView } from './list-part.tsx';
import { ObjectView } from './object-part.tsx';
import { NumberView, TextView } from './text-parts.tsx';
import { UnionView } from './union-part.tsx';
import { OwnPart } from './own/own-part.tsx';
import { OWN_KIND, OWN_NONE, type OwnKind } from './own/kinds.ts';
import { addedOf } from './value.ts';

const SeveralView = lazy(async () => ({ default: (await import('./several-part.tsx')).SeveralView }));
/** Deeper levels are edited as JSON: a form of so many levels cannot be read. */
const DEEPEST = 10;

export function Part({ schema, ...props }: PartProps) {
  const form = useForm();
  const field = useMemo(() => fieldOf(schema, form.root), [schema, form.root]);
  const { path, value, onChange, required } = props;
  const label = [field.title ?? props.label, props.number].filter((word) => word !== undefined).join(' ');
  const disabled = form.disabled || field.readOnly;
  const isAbsent = value === undefined && !required && (field.kind === 'union' || (field.kind === 'object' && field.members.length > 0));
  const isOwn = form.about !== undefined;
  const kind = isOwn ? ownKindOf(field) : undefined;
  // In a form of the platform's own an empty field says "no value".
  const isEmptied = isOwn && field.nullable && EMPTIED.has(kind === undefined ? field.kind : 'text');
  const view: ViewInput = { ...props, label, disabled, ...(isEmptied && required && { onChange: (next: unknown) => onChange(next ?? null) }) };
  if (kind !== undefined && kind !== 'json' && !(field.nullable && !isEmptied)) return <OwnPart {...view} kind={kind} field={field} />;
  if (isAbsent && !disabled) return <Absent label={label} help={field.description} path={path} onAdd={() => onChange(addedOf(schema, form.root) ?? {})} />;
  if (isAbsent) return null;
  const drawn =
    path.length > DEEPEST ? (
      <JsonView {...view} field={{ ...field, kind: 'json' }} />
    ) : kind === undefined ? (
      draw(field, isOwn ? withUsual(field, view) : view)
    ) : kind === 'json' ? (
      <JsonView {...view} field={{ ...field, kind: 'json' }} />
    ) : (
      <OwnPart {...view} kind={kind} field={field} />
    );
  // Left out, it is null anyway.
  const isNullUnset = !required && field.usual === null && value !== null;
  return field.nullable && !isEmptied && !isNullUnset && field.kind !== 'constant' && field.kind !== 'choice' ? (
    <Nullable {...view} usual={() => addedOf(schema, form.root)} none={noneOf(field)}>
      {drawn}
    </Nullable>
  ) : (
    drawn
  );
}

type ViewInput = Omit<PartProps, 'schema'> & { disabled: boolean };

function draw(field: Field, props: ViewInput): ReactNode {
  switch (field.kind) {
    case 'text':
      return <TextView {...props} field={field} />;
    case 'number':
      return <NumberView {...props} field={field} />;
    case 'boolean':
      return <YesNoView {...props} field={field} />;
    case 'constant':
      return <ConstantView {...props} field={field} />;
    case 'choice':
      return <ChoiceView {...props} field={field} />;
    case 'several':
      return (
        <Suspense fallback={<Skeleton h={60} aria-label="Loading" aria-busy />}>
          <SeveralView {...props} field={field} />
        </Suspense>
      );
    case 'file':
      return <FileView {...props} field={field} />;
    case 'object':
      return <ObjectView {...props} field={field} />;
    case 'list':
      return <ListView {...props} field={field} />;
    case 'union':
      return <UnionView {...props} field={field} />;
    case 'json':
      return <JsonView {...props} field={field} />;
  }
}

/** An optional part that is absent. */
function Absent({ label, help, path, onAdd }: { label: string; help: string | undefined; path: PartProps['path']; onAdd: () => void }) {
  const issue = useIssue(path);
  return (
    <div {...(issue && { 'data-wrong': true, tabIndex: -1 })}>
      <Group gap="xs">
        <Text size="sm" fw={500} dir="auto">
          {label}
        </Text>
        <Button size="compact-xs" variant="light" leftSection={<IconPlus size={12} />} onClick={onAdd} aria-label={`Add ${label}`}>
          Add
        </Button>
      </Group>
      {help && (
        <Text size="xs" c="dimmed" dir="auto">
          {help}
        </Text>
      )}
      {issue && (
        <Text size="xs" c="var(--mantine-color-error)">
          {issue}
        </Text>
      )}
    </div>
  );
}

const EMPTIED = new Set(['text', 'number']);

function ownKindOf({ schema, kind }: Field): OwnKind | undefined {
  const own = kind === 'constant' ? undefined : schema[OWN_KIND];
  // Safe: only `presented` writes this member, and it takes these words.
  return typeof own === 'string' ? (own as OwnKind) : undefined;
}

/** In a form of the platform's own a box shows what holds when nobody touches it. */
function withUsual(field: Field, view: ViewInput): ViewInput {
  return field.kind === 'boolean' && typeof field.usual === 'boolean' ? { ...view, required: true, value: view.value ?? field.usual } : view;
}

function noneOf({ schema }: Field): string {
  return typeof schema[OWN_NONE] === 'string' ? schema[OWN_NONE] : 'No value';
}

function Nullable({ value, onChange, label, disabled, usual, none, children }: ViewInput & { usual: () => unknown; none: string; children: ReactNode }) {
  const isNull = value === null;
  return (
    <Stack gap={6}>
      {isNull ? (
        <Text size="sm" fw={500} dir="auto">
          {label}
        </Text>
      ) : (
        children
      )}
      <Checkbox
        size="xs"
        label={none}
        aria-label={`${label}: ${none}`}
        checked={isNull}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? null : usual())}
      />
    </Stack>
  );
}
