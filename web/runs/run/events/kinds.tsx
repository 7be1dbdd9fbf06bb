// Which kinds of events are shown; loaded beside the list, which is there first.
import { MultiSelect } from '@mantine/core';
import { number } from '../../../kit/number.ts';

export interface KindsProps {
  /** Each with how many there are. */
  kinds: ReadonlyMap<string, number>;
  chosen: string[] | undefined;
  onChoose: (kinds: string[] | undefined) => void;
}

export function Kinds({ kinds, chosen, onChoose }: KindsProps) {
  return (
    <MultiSelect
      aria-label="Kinds of events"
      placeholder={chosen ? '' : 'All kinds'}
      data={[...kinds].map(([kind, times]) => ({ value: kind, label: `${kind} (${number(times)})` }))}
      value={chosen ?? []}
      onChange={(next) => onChoose(next.length > 0 ? next : undefined)}
      clearable
      searchable
      size="xs"
      w={{ base: '100%', sm: 380 }}
    />
  );
}
