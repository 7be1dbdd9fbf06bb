// All files of a generated project.
import type { Plan } from '../generate/model.ts';
import { printAgent, classNameOf, schemasOf, GENERATED_VERSION } from './agent.ts';
import { propertyKey, literal } from '../../../agents/source/literal.ts';

export interface GeneratedFile {
  path: string;
  content: string;
}

export interface ProjectInput {
  name: string;
  plan: Plan;
  /** Listing, where the caller said it. */
  public: boolean | undefined;
}

/** By path. The same plan makes the same bytes. */
export function projectFiles({ name, plan, public: listed }: ProjectInput): GeneratedFile[] {
  const shared = { schemas: schemasOf(plan, 'schemas'), results: schemasOf(plan, 'results') };
  const hasShared = Object.keys(shared.schemas).length + Object.keys(shared.results).length > 0;
  const files = [
    { path: '.gitignore', content: 'node_modules/\n.svc/\n.env*\n' },
    { path: 'README.md', content: readme(name, plan) },
    { path: 'agent.ts', content: printAgent(name, plan) },
    { path: 'package.json', content: packageJson(name, plan) },
    { path: 'svc.yaml', content: manifest(name, listed) },
    { path: 'test/agent.test.ts', content: testSource(name, plan) },
    { path: 'tsconfig.json', content: TSCONFIG },
    ...(hasShared ? [{ path: 'schemas.ts', content: schemasSource(shared) }] : []),
    ...(plan.mode === 'search' ? [{ path: 'operations.json', content: operationsJson(plan) }] : []),
  ];
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function manifest(name: string, listed: boolean | undefined): string {
  const expose = listed === true ? '\nexpose:\n  public: true' : '';
  return `name: ${JSON.stringify(name)}\nversion: ${GENERATED_VERSION}\nentrypoint: agent:${classNameOf(name)}${expose}\n`;
}

function packageJson(name: string, plan: Plan): string {
  const content = {
    name,
    version: GENERATED_VERSION,
    description: plan.title,
    private: true,
    type: 'module',
    engines: { node: '>=24' },
    scripts: { test: 'node --test' },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2024",
    "lib": ["es2024"],
    "module": "nodenext",
    "types": ["@svc/sdk"],
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true,
    "allowImportingTsExtensions": true,
    "skipLibCheck": true,
    "noEmit": true
  },
  "include": ["**/*.ts"]
}
`;

function schemasSource({ schemas, results }: { schemas: Record<string, unknown>; results: Record<string, unknown> }): string {
  const part = (name: string, comment: string, members: Record<string, unknown>): string => {
    if (Object.keys(members).length === 0) return '';
    const lines = Object.entries(members).map(([key, schema]) => `  ${propertyKey(key)}: ${literal(schema, 2, 4 + propertyKey(key).length)},\n`);
    return `\n/** ${comment} */\nexport const ${name} = {\n${lines.join('')}};\n`;
  };
  return `// JSON Schemas that several skills share, by name.
${part('schemas', 'Of arguments.', schemas)}${part('results', 'Of results: what they look like, without rules.', results)}`;
}

/** One operation a line: a change of one is a change of one line. */
function operationsJson(plan: Plan): string {
  const { operations, schemas, results } = plan;
  const list = operations.map(({ name, call, description, tags, input, output }) =>
    JSON.stringify({ name, ...call, description, ...(tags.length > 0 && { tags }), input, ...(output && { output }) }),
  );
  const members = (of: Readonly<Record<string, unknown>>): string => {
    const lines = Object.entries(of).map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`);
    return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n}`;
  };
  return `{"operations":[\n${list.join(',\n')}\n],\n"schemas":${members(schemas)},\n"results":${members(results)}}\n`;
}

function testSource(name: string, { skills, mode }: Plan): string {
  const names = [...(mode === 'search' ? ['search_operations', 'describe_operation', 'call_operation'] : []), ...skills.map((one) => one.name)];
  const search =
    mode === 'search'
      ? `
test('finds an operation, and says how it is called', async () => {
  const agent = testAgent(${classNameOf(name)});
  const { result } = await agent.invoke('search_operations', { query: '', limit: 1 });
  const { operations } = result as { operations: { name: string }[] };
  const operation = operations[0]?.name;
  const described = (await agent.invoke('describe_operation', { operation })).result;
  assert.ok(typeof described === 'object' && described !== null && 'input_schema' in described);
});
`
      : '';
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { ${classNameOf(name)} } from '../agent.ts';

test('offers the operations as skills', () => {
  const { card } = testAgent(${classNameOf(name)});
  const expected = ${literal(names, 2, 19)};
  assert.deepEqual(
    card.skills.map(({ id }) => id),
    expected,
  );
});
${search}`;
}

function readme(name: string, plan: Plan): string {
  const { title, apiVersion, skills, operations, mode, server, security } = plan;
  const fields = [...server.fields, ...security.fields];
  const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 160);
  const setup = fields.map((field) => `| \`${field.name}\` | ${field.required ? 'yes' : 'no'} | ${oneLine(field.title ?? '')} |`);
  const list = skills.map((one) => `| \`${one.name}\` | \`${one.call.at}\` | ${oneLine(one.description)} |`);
  return `# ${name}

Calls ${oneLine(title)} ${oneLine(apiVersion)} at ${server.url ?? '(no server: set it in agent.ts)'}.
${mode === 'search' ? `\nIts ${operations.length} operations are found with \`search_operations\`, read with \`describe_operation\` and called with \`call_operation\`.\n` : ''}
\`\`\`sh
svc test                # checks the project
npm test                # its own tests, on Node 24
svc deploy              # live in its own microVM
svc setup ${name}       # what each caller sets
npm install --no-save typescript @types/node && svc validate && npx tsc   # checks the types
\`\`\`

A person is asked before a DELETE is sent. Answers that are no text, or longer than 1 MiB, are artifacts of the run.
${fields.length > 0 ? `\n| each caller sets | required | |\n|---|---|---|\n${setup.join('\n')}\n` : ''}${list.length > 0 ? `\n| skill | operation | |\n|---|---|---|\n${list.join('\n')}\n` : ''}`;
}
