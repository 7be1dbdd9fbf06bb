// Says what is wrong with the text, a moment after it was written: first what can be seen here, then what the
// platform finds.
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { RuleProblem } from '#contract/policy/policy-rules.ts';
import { inFile, readRuleFile, type RuleFile } from '#contract/policy/rule-file.ts';
import { send } from '../../api/client.ts';

const SETTLED_MS = 700;

export interface Checked {
  file: RuleFile;
  problems: readonly RuleProblem[];
  warnings: readonly RuleProblem[];
  /** The platform has not said yet. */
  isChecking: boolean;
}

export function bodyOf({ policies, default_outcome }: RuleFile) {
  return { policies: policies.map(({ name, text }) => ({ name, text })), default_outcome };
}

export function useCheck(text: string): Checked {
  const [settled] = useDebouncedValue(text, SETTLED_MS);
  const file = useMemo(() => readRuleFile(text), [text]);
  const readable = useMemo(() => readRuleFile(settled), [settled]);
  const body = { ...bodyOf(readable), last: 0 };
  const { data, isFetching } = useQuery({
    queryKey: ['policy', 'check', body],
    queryFn: () => send('policy', 'test', { body }),
    enabled: readable.problems.length === 0 && readable.policies.length > 0,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
  return useMemo(() => {
    const placed = (all: readonly RuleProblem[] = []) => all.map((one) => inFile(file.policies, one));
    const isEmpty = file.policies.length === 0;
    return {
      file,
      problems: file.problems.length > 0 ? file.problems : isEmpty ? [] : placed(data?.problems),
      warnings: isEmpty ? [] : placed(data?.warnings),
      isChecking: settled !== text || isFetching,
    };
  }, [file, data, settled, text, isFetching]);
}
