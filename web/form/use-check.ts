import { useEffect, useState } from 'react';
import { checked } from './checker.ts';
import type { FormIssue } from './issues.ts';
import type { JsonSchema } from './schema.ts';

const PAUSE_MS = 150;

/** Checks when `checkNow` is called, and from then on after each change. */
export function useCheck(schema: JsonSchema, value: unknown): { found: readonly FormIssue[]; checkNow(): Promise<FormIssue[]> } {
  const [isOn, setOn] = useState(false);
  const [found, setFound] = useState<readonly FormIssue[]>([]);
  useEffect(() => {
    if (!isOn) return undefined;
    let isLate = false;
    const timer = setTimeout(() => void checked(schema, value).then((issues) => void (isLate || setFound(issues))), PAUSE_MS);
    return () => {
      isLate = true;
      clearTimeout(timer);
    };
  }, [schema, value, isOn]);
  return {
    found,
    async checkNow() {
      const issues = await checked(schema, value);
      setOn(true);
      setFound(issues);
      return issues;
    },
  };
}
