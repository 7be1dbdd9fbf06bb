// What schemathesis is told: who calls, which records there are, and where it is wrong.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Exceptions = z.array(
  z.strictObject({
    operations: z.array(z.string()).min(1),
    check: z.string(),
    /** Absent: the check is not made. */
    statuses: z.array(z.int()).optional(),
    why: z.string(),
  }),
);

const SUCCESS = ['2xx', '3xx'];
/** What speaks of the caller, of the state of things, or of our own troubles, whatever the input is. */
const WHATEVER = ['401', '403', '404', '409', '410', '412', '413', '416', '429', '431', '5xx'];
const EXPECTED: Record<string, string[]> = {
  not_a_server_error: [...SUCCESS, '4xx'],
  // 400: what is opaque to a schema (a cursor, an archive, a signed text), but not to us.
  positive_data_acceptance: [...SUCCESS, '400', '402', ...WHATEVER],
  negative_data_rejection: ['400', '405', '406', '415', '422', '428', ...WHATEVER],
};

/**
 * `records`: values of path parameters, by their name or by `<route>.<name>`. The person's token is in the
 * environment as SVC_TOKEN, that of their identity provider as SVC_SCIM_TOKEN.
 */
export async function configuration(records: Record<string, string>): Promise<string> {
  const values = new Map<string, string[]>();
  for (const [key, value] of Object.entries(records)) {
    const name = key.split('.').at(-1) ?? key;
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  const names = [...values.keys()];
  return [
    'warnings = false',
    'continue-on-failure = true',
    'request-timeout = 20',
    // Both are refused everywhere, which no schema says.
    'generation = { allow-x00 = false, codec = "utf-8" }',
    'auth.openapi.bearer.bearer = "${SVC_TOKEN}"',
    'auth.openapi.scim.bearer = "${SVC_SCIM_TOKEN}"',
    `dictionaries = { ${names.map((name) => `${name} = { values = ${text(values.get(name))} }`).join(', ')} }`,
    `parameters = { ${names.map((name) => `"path.${name}" = { dictionary = "${name}", probability = 0.7 }`).join(', ')} }`,
    ...Object.entries(EXPECTED).map(([check, statuses]) => `checks.${check}.expected-statuses = ${text(statuses)}`),
    // No worker runs here: what a turn starts does not end.
    '[[operations]]\ninclude-name = "POST /v1/me/chat"\nheaders.prefer = "wait=1"',
    ...(await exceptions()),
    '',
  ].join('\n');
}

async function exceptions(): Promise<string[]> {
  const listed = Exceptions.parse(JSON.parse(await readFile(join(import.meta.dirname, 'exceptions.json'), 'utf8')));
  const operations = [...new Set(listed.flatMap((one) => one.operations))];
  return operations.flatMap((operation) => [
    '[[operations]]',
    `include-name = ${text(operation)}`,
    ...listed
      .filter((one) => one.operations.includes(operation))
      .map(({ check, statuses }) =>
        statuses === undefined
          ? `checks.${check}.enabled = false`
          : `checks.${check}.expected-statuses = ${text([...(EXPECTED[check] ?? []), ...statuses.map(String)])}`,
      ),
  ]);
}

/** TOML's strings and lists of them are those of JSON. */
function text(value: unknown): string {
  return JSON.stringify(value);
}
