// Values against the fields they are for; every mistake at once.
import { type SetupField, setupProblem } from '#contract/wire/card.ts';
import { Invalid } from '../../kernel/errors.ts';
import type { SetupValue } from './fields.ts';

export interface CheckedValues {
  set: Map<string, SetupValue>;
  /** Names of values that are taken away. */
  taken: string[];
}

/** Messages say what is wrong and never what was sent. @throws Invalid */
export function checkValues(fields: readonly SetupField[], values: Readonly<Record<string, SetupValue | null>>): CheckedValues {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const checked: CheckedValues = { set: new Map(), taken: [] };
  const issues: Invalid['issues'] = [];
  for (const [name, value] of Object.entries(values)) {
    const field = byName.get(name);
    const problem = !field ? 'the agent declares no such field' : value === null ? undefined : setupProblem(field.type, value);
    if (problem !== undefined) issues.push({ path: ['body', 'values', name], message: problem });
    else if (value === null) checked.taken.push(name);
    else checked.set.set(name, value);
  }
  if (issues.length > 0) throw new Invalid(issues);
  return checked;
}
