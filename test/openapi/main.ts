// schemathesis on everything that is served, in all its phases:
//   npm run test:openapi [-- options of schemathesis, e.g. --include-path-regex files]
// The same seed gives the same requests; SCHEMATHESIS_SEED sets another, `-n 100` makes ten times as many
// where they are made up (and may take longer than a quarter of an hour). Where schemathesis is wrong:
// exceptions.json. `npm test` has a bounded part of it: openapi.parts.test.ts.
import { type Findings, schemathesis, VERSION } from './run.ts';

/** A quarter of an hour on a quiet machine. */
const SECONDS = 45 * 60;

const seed = process.env['SCHEMATHESIS_SEED'] ?? '1';
const options = process.argv.slice(2);
tell(await schemathesis({ seed, options, stdio: 'inherit', seconds: options.length === 0 ? SECONDS : undefined }));

function tell({ operations, phases, test_cases, failures, errors, logged }: Findings): void {
  for (const line of logged) process.stdout.write(`the API logged an error: ${line}\n`);
  const failing = new Set(failures.flatMap((failure) => failure.operations));
  const left = operations.total - operations.tested;
  const failed = Math.min(operations.total, failing.size + left) + (errors.length > 0 && left === 0 ? 1 : 0) + (logged.length > 0 ? 1 : 0);
  const ran = Object.entries(phases).map(([name, { status }]) => `${name} ${status}`);
  process.stdout.write(`schemathesis ${VERSION}, seed ${seed}: ${test_cases.generated} requests; ${ran.join(', ')}\n`);
  process.stdout.write(`${operations.total - Math.min(operations.total, failing.size + left)} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 || operations.total === 0 ? 1 : 0;
}
