import { Anchor, Text, type TextProps } from '@mantine/core';
import { useState } from 'react';
import { cut } from './brief.ts';
import { number } from './number.ts';

const MOST_SHOWN = 200_000;

/** Text of agents and people, as they wrote it; long text is cut until the reader expands it. */
export function LongText({ text, short = 1_200, ...look }: { text: string; short?: number } & TextProps) {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > short;
  return (
    <Text component="div" dir="auto" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }} {...look}>
      {cut(text, isOpen ? MOST_SHOWN : short)}
      {isLong && (
        <Anchor component="button" type="button" size="sm" ms={6} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : `Show all ${number(text.length)} characters`}
        </Anchor>
      )}
    </Text>
  );
}
