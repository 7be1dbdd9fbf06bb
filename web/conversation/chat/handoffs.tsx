// Whether agents at work in a conversation ask before they call others.
import { NativeSelect } from '@mantine/core';
import { HANDOFF_RULES } from '#contract/states.ts';

export type HandoffRule = (typeof HANDOFF_RULES)[number];

// words: shown
const WORDS: Record<HandoffRule, string> = {
  ask_foreign: 'when it is not yours',
  ask_always: 'always',
  never: 'never',
};

export function HandoffsChoice({ value, onChange, disabled }: { value: HandoffRule; onChange(rule: HandoffRule): void; disabled?: boolean }) {
  return (
    <NativeSelect
      size="xs"
      label="An agent asks before it calls another one"
      value={value}
      disabled={disabled}
      data={HANDOFF_RULES.map((rule) => ({ value: rule, label: WORDS[rule] }))}
      onChange={({ currentTarget }) => {
        const rule = HANDOFF_RULES.find((one) => one === currentTarget.value);
        if (rule) onChange(rule);
      }}
    />
  );
}
