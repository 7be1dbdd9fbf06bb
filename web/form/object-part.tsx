// Members by their names; where the schema allows others, they are added by name.
import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { fieldOf } from './field.ts';
import { useForm, useIssue, type ViewProps } from './form-context.ts';
import { Frame, HelpAndIssue } from './group-part.tsx';
import { humanized } from '#contract/wire/wording.ts';
import { isObject, memberOf } from './schema.ts';
import { addedOf, withMember } from './value.ts';

export function ObjectView(props: ViewProps<'object'>) {
  const { field, path, value, onChange, label, required, disabled, bare = path.length === 0 } = props;
  const { Part, root } = useForm();
  const record = isObject(value) ? value : {};
  const named = new Set(field.members.map(({ name }) => name));
  const others = Object.keys(record).filter((name) => !named.has(name));
  // The choice above says it already.
  const shown =
    bare && path.length > 0 ? field.members.filter(({ schema, required: must }) => !must || fieldOf(schema, root).kind !== 'constant') : field.members;
  const issue = useIssue(path, (step) => named.has(String(step)) || others.includes(String(step)));
  const set = (name: string, member: unknown): void => onChange(withMember(record, name, member, [...named]));
  const inside = (
    <>
      {shown.map(({ name, schema, required: must }) => (
        <Part
          key={name}
          schema={schema}
          path={[...path, name]}
          value={memberOf(record, name)}
          onChange={(member) => set(name, member)}
          label={humanized(name)}
          beside={record}
          required={must}
        />
      ))}
      {others.map((name) => (
        <Other key={name} {...props} name={name} value={record[name]} onChange={(member) => set(name, member)} />
      ))}
      {field.extra && !disabled && <AddMember {...props} taken={[...named, ...others]} onChange={(name, member) => set(name, member)} />}
    </>
  );
  if (bare) {
    return (
      <Stack gap="md">
        <HelpAndIssue help={path.length === 0 ? undefined : field.description} issue={issue} />
        {inside}
      </Stack>
    );
  }
  return (
    <Frame
      label={label}
      help={field.description}
      required={required}
      issue={issue}
      onLeaveOut={required || disabled || value === undefined ? undefined : () => onChange(undefined)}
    >
      {inside}
    </Frame>
  );
}

type OtherProps = Omit<ViewProps<'object'>, 'onChange'> & { name: string; onChange: (value: unknown) => void };

const ANY = {};

function Other({ field, path, name, value, onChange, disabled }: OtherProps) {
  const { Part } = useForm();
  return (
    <Group align="start" wrap="nowrap" gap="xs">
      <div style={{ flex: 1, minWidth: 0 }}>
        <Part schema={field.extra ?? ANY} path={[...path, name]} value={value} onChange={(next) => onChange(next ?? null)} label={name} required />
      </div>
      {!disabled && (
        <ActionIcon variant="subtle" color="gray" mt={24} onClick={() => onChange(undefined)} aria-label={`Remove ${name}`}>
          <IconX size={15} />
        </ActionIcon>
      )}
    </Group>
  );
}

interface AddProps extends Omit<ViewProps<'object'>, 'onChange'> {
  taken: readonly string[];
  onChange: (name: string, value: unknown) => void;
}

function AddMember({ field, label, path, taken, onChange }: AddProps) {
  const { root } = useForm();
  const [name, setName] = useState('');
  const isTaken = taken.includes(name);
  const add = (): void => {
    if (name === '' || isTaken) return;
    onChange(name, addedOf(field.extra, root) ?? '');
    setName('');
  };
  return (
    <Group align="end" gap="xs">
      <TextInput
        label={path.length === 0 ? 'Add a field' : `Add to ${label}`}
        placeholder="Its name"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={isTaken ? 'This name is taken' : undefined}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
        autoComplete="off"
        style={{ flex: '1 1 10rem', maxWidth: '20rem' }}
      />
      <Button variant="light" leftSection={<IconPlus size={14} />} onClick={add} disabled={name === '' || isTaken}>
        Add
      </Button>
    </Group>
  );
}
