// agent.ts: the class that a person reads and edits.
import type { PlannedOperation, Plan } from '../generate/model.ts';
import { inComment, propertyKey, literal, quoted } from '../../../agents/source/literal.ts';

/** What a class that extends Agent has already: a skill of that name gets another field. */
const MEMBERS = new Set(
  (
    'name description version configModel authModel authResolver requiredSecrets requiredEnv consumerSetup capabilities inputModes outputModes ' +
    'workspaceAccess egress toolsUsed lifecycle state stateSchema resources concurrency config configure startup shutdown health ' +
    'constructor prototype static get set async declare override readonly accessor'
  ).split(' '),
);

export const GENERATED_VERSION = '0.1.0';

export function printAgent(name: string, plan: Plan): string {
  const { mode, server, security } = plan;
  const search = mode === 'search';
  const hasSchemas = Object.keys(schemasOf(plan, 'schemas')).length > 0;
  const hasResults = Object.keys(schemasOf(plan, 'results')).length > 0;
  const shared = [...(hasResults ? ['results'] : []), ...(hasSchemas ? ['schemas'] : [])];
  const options = [
    `server: ${quoted(server.url ?? 'https://api.invalid')},`,
    ...(Object.keys(server.variables).length > 0 ? [`variables: ${literal(server.variables, 2, 13)},`] : []),
    ...(Object.keys(security.credentials).length > 0 ? [`credentials: ${literal(security.credentials, 2, 15)},`] : []),
    ...(plan.defaultSecurity.length > 0 ? [`security: ${literal(plan.defaultSecurity, 2, 12)},`] : []),
    ...(search ? [`operations: new URL('./operations.json', import.meta.url),`] : []),
    ...shared.toReversed().map((one) => `${one},`),
  ];
  const fields = [...server.fields, ...security.fields];
  return `// Written from ${inComment(plan.title)} ${inComment(plan.apiVersion)} by "svc openapi generate". Edit it: when it is written again, your edits are merged.
import { Agent, HttpApi } from '@svc/sdk';
${shared.length > 0 ? `import { ${shared.join(', ')} } from './schemas.ts';\n` : ''}
const api = new HttpApi({
${options.map((line) => `  ${line}\n`).join('')}});

export class ${classNameOf(name)} extends Agent {
  name = ${quoted(name)};
  description = ${quoted(plan.description)};
  version = ${quoted(GENERATED_VERSION)};

  override egress = ${literal({ allowHosts: server.allowHosts }, 2, 20)};
  override concurrency = 8;
${fields.length > 0 ? `  /** Secrets never enter the agent's machine: the platform adds them to requests to the hosts named here. */\n  override readonly consumerSetup: Agent['consumerSetup'] = ${literal(fields, 2, 60)};\n` : ''}${search ? searchSkills(plan) : ''}${plan.skills.map(skillSource).join('')}}
`;
}

/** Only the schemas of the skills. In search mode the file of operations has its own. */
export function schemasOf(plan: Plan, kind: 'schemas' | 'results'): Record<string, unknown> {
  const all = plan[kind];
  if (plan.mode === 'each') return all;
  const schemas: Record<string, unknown> = {};
  const open: unknown[] = plan.skills.map((one) => (kind === 'schemas' ? one.input : one.output));
  while (open.length > 0) {
    for (const [, name] of JSON.stringify(open.pop() ?? {}).matchAll(/"\$ref":"#\/\$defs\/([A-Za-z0-9_-]+)"/g)) {
      if (name === undefined || Object.hasOwn(schemas, name) || !Object.hasOwn(all, name)) continue;
      schemas[name] = all[name];
      open.push(all[name]);
    }
  }
  return Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function skillSource({ name, call, description, tags, input, output }: PlannedOperation): string {
  const field = MEMBERS.has(name) ? `${name}_operation` : name;
  const { at, ...rest } = call;
  const declaration = { at, ...(field !== name && { name }), description, ...(tags.length > 0 && { tags }), ...rest, input, output };
  return `\n  /** ${inComment(at)} */\n  ${propertyKey(field)} = api.operation(${opened(declaration)});\n`;
}

/** Always one member a line: so a change of one is a change of one line. */
function opened(declaration: object): string {
  const lines = Object.entries(declaration)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      const text = literal(value, 4, 4 + key.length + 2);
      const long = typeof value === 'string' && 4 + key.length + 2 + text.length + 1 > 120;
      return `    ${key}: ${long ? `\n      ${text}` : text},\n`.replace(': \n', ':\n');
    });
  return `{\n${lines.join('')}  }`;
}

function searchSkills({ title, operations }: Plan): string {
  const what = `${title} (${operations.length} operations)`;
  const line = (field: string, method: string, description: string): string => `\n  ${field} = api.${method}(\n    ${quoted(description)},\n  );\n`;
  return [
    line('search_operations', 'search', `Finds operations of ${what} by words of what you want to do. Then describe one, and call it.`),
    line('describe_operation', 'describe', `The arguments and the result of one operation of ${title}.`),
    line('call_operation', 'call', `Calls one operation of ${title} by its name, with its arguments. A person is asked before anything is deleted.`),
  ].join('');
}

/** "text-kit" → TextKit */
export function classNameOf(name: string): string {
  const joined = name
    .split('-')
    .filter(Boolean)
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join('');
  return /^\d/.test(joined) || joined === 'Agent' || joined === 'HttpApi' ? `Api${joined}` : joined;
}
