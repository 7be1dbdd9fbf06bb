// The same call as text that works when it is pasted.

export interface SnippetOf {
  /** The origin of the API: `http://localhost:8080`. */
  api: string;
  /** The agent's own address. */
  url: string;
  agent: string;
  skill: string;
  args: Record<string, unknown>;
  /** Signed in or not, anyone may call it at its own address. */
  isPublic: boolean;
}

export interface Snippet {
  id: string;
  label: string;
  text: string;
  /** What is done first. */
  note: string;
}

const TOKEN_NOTE = 'The token lasts an hour; svc token prints another.';

export function snippetsOf(of: SnippetOf): Snippet[] {
  return [
    { id: 'curl', label: 'curl', text: curl(of), note: TOKEN_NOTE },
    { id: 'cli', label: 'CLI', text: cli(of), note: 'Sign in once with: svc login' },
    { id: 'ts', label: 'TypeScript', text: typescript(of), note: 'Node 22 or newer, no package needed. SVC_TOKEN is what svc token prints.' },
    { id: 'python', label: 'Python', text: python(of), note: 'Python 3.9 or newer, no package needed. SVC_TOKEN is what svc token prints.' },
    {
      id: 'mcp',
      label: 'MCP',
      text: mcp(of),
      note: of.isPublic
        ? 'For the settings of an MCP client. Each skill is a tool.'
        : 'For the settings of an MCP client; it signs you in through the browser. One that cannot sends "headers": {"Authorization": "Bearer <token>"}.',
    },
  ];
}

function invokePath({ agent, skill }: Pick<SnippetOf, 'agent' | 'skill'>): string {
  return `/v1/agents/${encodeURIComponent(agent)}/api/invoke/${encodeURIComponent(skill)}`;
}

export function curl(of: SnippetOf): string {
  return [
    'export SVC_TOKEN="$(svc token)"',
    [
      `curl -sS ${quoted(of.api + invokePath(of))}`,
      '-H "Authorization: Bearer $SVC_TOKEN"',
      "-H 'Content-Type: application/json'",
      "-H 'Accept: application/json'",
      `--data-binary ${quoted(JSON.stringify(of.args))}`,
    ].join(' \\\n  '),
  ].join('\n');
}

const DEFAULT_API = 'http://localhost:8080';

export function cli({ api, agent, skill, args }: SnippetOf): string {
  const at = api === DEFAULT_API ? '' : ` --api ${quoted(api)}`;
  const given = Object.keys(args).length === 0 ? '' : ` \\\n  --json ${quoted(JSON.stringify(args))}`;
  return `svc call ${quoted(agent)} ${quoted(skill)}${at}${given}`;
}

export function typescript(of: SnippetOf): string {
  return `const response = await fetch(${JSON.stringify(of.api + invokePath(of))}, {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.SVC_TOKEN}\`,
    'content-type': 'application/json',
    accept: 'application/json',
  },
  body: JSON.stringify(${indented(scriptJson(of.args))}),
});
if (!response.ok) throw new Error(\`\${response.status}: \${await response.text()}\`);
console.log(await response.json());`;
}

export function python(of: SnippetOf): string {
  return `import json
import os
import urllib.request

request = urllib.request.Request(
    ${pythonText(of.api + invokePath(of))},
    data=json.dumps(${indented(pythonValue(of.args))}).encode(),
    headers={
        "Authorization": f"Bearer {os.environ['SVC_TOKEN']}",
        "Content-Type": "application/json",
        "Accept": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`;
}

export function mcp({ agent, url }: SnippetOf): string {
  return JSON.stringify({ mcpServers: { [agent]: { type: 'http', url: `${url}/mcp` } } }, null, 2);
}

/** One word for a POSIX shell, whatever it holds. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** JSON that is a script's expression, too: a member named __proto__ would set the prototype. */
function scriptJson(value: unknown): string {
  return (JSON.stringify(value, null, 2) ?? 'null').replaceAll('"__proto__":', '["__proto__"]:');
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

/** As an expression of Python. */
function pythonValue(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return pythonText(value);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[\n${block(value.map(pythonValue))}\n]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${pythonText(name)}: ${pythonValue(member)}`);
  return members.length === 0 ? '{}' : `{\n${block(members)}\n}`;
}

function block(lines: readonly string[]): string {
  return lines.map((line) => `  ${line.replaceAll('\n', '\n  ')},`).join('\n');
}

/** JSON's escapes are Python's; characters beyond 16 bits stay as they are. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}
