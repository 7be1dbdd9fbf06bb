// Reads a file of rules, and formats its problems for the commands about rules.
import { readFile } from 'node:fs/promises';
import type { RuleProblem } from '#contract/policy/policy-rules.ts';
import { inFile, readRuleFile, type RuleFile } from '#contract/policy/rule-file.ts';
import { CliError, UsageError } from '../../lib/errors.ts';
import { type Output, plain } from '../../lib/output.ts';

const SHOWN = 50;

/** @throws UsageError where there is no such file; CliError where it is no file of rules, with each place */
export async function rulesIn(path: string, output: Output): Promise<RuleFile> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`${path} cannot be read: name a file with policies of Cedar.`);
  });
  const file = readRuleFile(text);
  refuse(path, file.problems, output);
  return file;
}

export function bodyOf({ policies, default_outcome }: RuleFile): Pick<RuleFile, 'default_outcome'> & { policies: { name: string; text: string }[] } {
  return { policies: policies.map(({ name, text }) => ({ name, text })), default_outcome };
}

/** @throws CliError where there are problems */
export function refuse(path: string, problems: readonly RuleProblem[], output: Output): void {
  if (problems.length === 0) return;
  for (const line of problems.slice(0, SHOWN).map((one) => lineOf(path, one))) output.note(output.bad(line));
  throw new CliError(`${path} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}: nothing was saved.`);
}

export function warn(path: string, file: RuleFile, warnings: readonly RuleProblem[], output: Output): void {
  for (const one of warnings.slice(0, SHOWN)) output.note(`${lineOf(path, inFile(file.policies, one))} (a warning)`);
}

/** As compilers write it: editors and terminals open such a place. */
function lineOf(path: string, { policy, line, column, message, help }: RuleProblem): string {
  const place = line === null ? path : `${path}:${line}:${column ?? 1}`;
  return plain(`${place}: ${policy === null ? '' : `${policy}: `}${message}${help === null ? '' : ` (${help})`}`);
}
