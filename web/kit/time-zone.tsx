import { Select, type SelectProps } from '@mantine/core';
import { useState } from 'react';

export interface TimeZoneSelectProps extends Pick<SelectProps, 'error'> {
  value: string;
  onChange(zone: string): void;
}

export function TimeZoneSelect({ value, onChange, error }: TimeZoneSelectProps) {
  // Asked for when they are looked for: the first use of the browser's locale data takes tens of
  // milliseconds.
  const [known, setKnown] = useState<readonly string[]>([]);
  // The reader's own zone may be known only now (readers-zone.ts): a value that changes while they type would
  // take the place of what they typed.
  const [atFocus, setAtFocus] = useState<string>();
  return (
    <Select
      label="Time zone"
      data={[...new Set(['UTC', value, ...known])].filter((zone) => zone !== '')}
      value={atFocus ?? value}
      searchable
      limit={40}
      allowDeselect={false}
      nothingFoundMessage="No such time zone"
      error={error}
      onFocus={() => {
        setKnown(Intl.supportedValuesOf('timeZone'));
        setAtFocus(value);
      }}
      onBlur={() => setAtFocus(undefined)}
      onChange={(zone) => {
        setAtFocus(undefined);
        if (zone !== null) onChange(zone);
      }}
    />
  );
}
