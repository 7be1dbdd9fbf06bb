// The checks of a project in the machine that built it: its own tests, its types. It says what failed as one
// line of JSON.
import { tellCard } from './bundle.ts';
import { failureMessage, type Failed } from './check-report.ts';
import { checkTests } from './check-tests.ts';
import { checkTypes } from './check-types.ts';
import { type BuildPlan, type Verdict } from './plan.ts';

export async function check(plan: BuildPlan): Promise<void> {
  const { types, within_ms } = plan.check ?? { types: false, within_ms: 0 };
  const results = [await checkTests(plan, within_ms), types ? await checkTypes(plan, within_ms) : undefined];
  const failed = results.filter((one): one is Failed => one !== undefined);
  const verdict: Verdict = { passed: failed.length === 0, message: failureMessage(failed) };
  // Who asks for checks looks at the card before the agent runs anywhere.
  if (verdict.passed) await tellCard(plan, { always: true, withinMs: within_ms });
  process.stdout.write(`${JSON.stringify(verdict)}\n`);
}
