// Items in order: added, taken away, moved. A tuple has a part for each place.
import { ActionIcon, Button, Group, Stack } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { type PartProps, useForm, useIssue, type ViewProps } from './form-context.ts';
import { Frame } from './group-part.tsx';
import { addedOf, itemOf, moved, withItem } from './value.ts';
import { number } from '../kit/number.ts';

const SHOWN = 50;

export function ListView(props: ViewProps<'list'>) {
  const { field, path, value, onChange, label, required, disabled } = props;
  const { root } = useForm();
  const items: unknown[] = Array.isArray(value) ? value : [];
  const [shown, setShown] = useState(SHOWN);
  const keys = useKeys(items.length);
  const issue = useIssue(path, (step) => typeof step === 'number' && step < Math.min(items.length, shown));
  const set = (next: readonly unknown[]): void => onChange(next.length === 0 && !required ? undefined : next);
  const addLabel = items.length === 0 ? 'Add an item' : 'Add another';
  const isFull = items.length >= field.max;
  const add = (): void => {
    setShown(Math.max(shown, items.length + 1));
    set([...items, addedOf(itemOf(field, items.length), root) ?? '']);
  };
  const remove = (at: number): void => {
    keys.remove(at);
    set(items.filter((_, index) => index !== at));
  };
  const move = (from: number, to: number): void => {
    keys.move(from, to);
    set(moved(items, from, to));
  };
  return (
    <Frame label={label} help={field.description} required={required} issue={issue} onLeaveOut={undefined}>
      {items.slice(0, shown).map((item, at) => (
        <Item
          key={keys.of(at)}
          schema={itemOf(field, at)}
          path={[...path, at]}
          value={item}
          onChange={(next) => set(withItem(items, at, next ?? ''))}
          label={label}
          number={at + 1}
          required
          disabled={disabled}
          onRemove={items.length > (required ? field.min : 0) || at >= field.prefix.length ? () => remove(at) : undefined}
          onUp={at > field.prefix.length ? () => move(at, at - 1) : undefined}
          onDown={at >= field.prefix.length && at < items.length - 1 ? () => move(at, at + 1) : undefined}
        />
      ))}
      <Group gap="xs">
        {items.length > shown && (
          <Button variant="default" size="xs" onClick={() => setShown(shown + SHOWN)}>
            Show more of the {number(items.length)} items
          </Button>
        )}
        {!disabled && !isFull && (
          <Button variant="light" size="xs" leftSection={<IconPlus size={14} />} onClick={add} aria-label={`${addLabel} to ${label}`}>
            {addLabel}
          </Button>
        )}
      </Group>
    </Frame>
  );
}

interface ItemProps extends PartProps {
  disabled: boolean;
  onRemove: (() => void) | undefined;
  onUp: (() => void) | undefined;
  onDown: (() => void) | undefined;
}

function Item({ disabled, onRemove, onUp, onDown, ...part }: ItemProps) {
  const { Part } = useForm();
  const name = `${part.label} ${part.number ?? ''}`;
  return (
    <Group align="start" wrap="nowrap" gap="xs">
      <Stack style={{ flex: 1, minWidth: 0 }}>
        <Part {...part} />
      </Stack>
      {!disabled && (
        <Group gap={0} wrap="nowrap" mt={24}>
          <Small label={`Move ${name} up`} onClick={onUp} icon={IconArrowUp} />
          <Small label={`Move ${name} down`} onClick={onDown} icon={IconArrowDown} />
          <Small label={`Remove ${name}`} onClick={onRemove} icon={IconX} />
        </Group>
      )}
    </Group>
  );
}

function Small({ label, onClick, icon: Icon }: { label: string; onClick: (() => void) | undefined; icon: typeof IconX }) {
  return (
    <ActionIcon size={24} variant="subtle" color="gray" disabled={!onClick} onClick={onClick} aria-label={label}>
      <Icon size={14} />
    </ActionIcon>
  );
}

/** What is typed in an item stays with it when it moves. */
function useKeys(length: number): { of(at: number): number; remove(at: number): void; move(from: number, to: number): void } {
  const [keys] = useState<number[]>([]);
  while (keys.length < length) keys.push((keys.length === 0 ? 0 : Math.max(...keys.slice(-1000))) + 1);
  keys.length = length;
  return {
    of: (at) => keys[at] ?? at,
    remove: (at) => void keys.splice(at, 1),
    move: (from, to) => void keys.splice(to, 0, ...keys.splice(from, 1)),
  };
}
