// Projects that could be an agent but for one thing: where it is, and the sentence that says what to do.
import { join } from 'node:path';
import type { Source } from './adopt.ts';
import type { Problem } from './problem.ts';

interface NearMiss {
  language: 'node' | 'python';
  /** What its sources import. */
  imports: RegExp;
  /** Where it is; its group `at` is the name. */
  at: RegExp;
  says: (name: string) => string;
}

const IMPORTS_EXPRESS = /(?:from |require\()['"]express['"]/;
const IMPORTS_MCP = /^(?:from|import) (?:mcp\b|fastmcp)/m;
const STDIO =
  'an MCP server over stdio is started by its client and has no address: serve it over HTTP and import it with "svc import https://…/mcp", or write its tools as skills of an agent';

const NEAR_MISSES: readonly NearMiss[] = [
  {
    language: 'node',
    imports: IMPORTS_EXPRESS,
    at: /^export (?:default|const|let)[\s\S]*?^(?:const \w+ = )?(?<at>\w+)\.listen\(/gm,
    says: (name) =>
      `${name}.listen(…) opens a port whenever the agent is loaded: move it into a file of its own that imports ${name}, then run this command again`,
  },
  {
    language: 'node',
    imports: IMPORTS_EXPRESS,
    at: /^[ \t]*(?:const|let|var) (?<at>\w+)(?::[^=\n]+)? = express\(\)/gm,
    says: (name) =>
      `${name} is an Express application that is not exported: write "export const ${name} = express()", move ${name}.listen(…) into a file of its own that imports it, then run this command again`,
  },
  { language: 'node', imports: /@modelcontextprotocol\//, at: /(?<at>StdioServerTransport)\(/g, says: () => STDIO },
  {
    language: 'python',
    imports: /^(?:from|import) fastapi/m,
    at: /^(?:async )?def (?<at>\w+)\([^)]*\)[^\n]*:\n(?:[ \t]+[^\n]*\n|\n)*?[ \t]+(?:\w+(?::[^=\n]+)? = |return )FastAPI\(/gm,
    says: (name) => `${name} makes a FastAPI application of arguments: write "app = ${name}(…)" with them at the top of the file, then run this command again`,
  },
  {
    language: 'python',
    imports: /^(?:from|import) flask/m,
    at: /(?<at>\w+) = Flask\(/g,
    says: (name) =>
      `${name} is a Flask application: put an openapi.yaml beside it that describes its routes, let it listen on the port that PORT names, then run this command again`,
  },
  { language: 'python', imports: IMPORTS_MCP, at: /(?<at>\w+) = (?:FastMCP|MCPServer|Server)\(/g, says: () => STDIO },
];

/** Of a folder that is no agent of a framework; undefined: nothing that is known. */
export function nearMissIn(folder: string, sources: readonly Source[]): Problem | undefined {
  for (const { language, imports, at, says } of NEAR_MISSES) {
    for (const { file, text } of sources) {
      if (file.endsWith('.py') !== (language === 'python') || !imports.test(text)) continue;
      const [match] = text.matchAll(at);
      const name = match?.groups?.['at'];
      if (!match || name === undefined) continue;
      const before = text.slice(0, match.index + match[0].lastIndexOf(name)).split('\n');
      return { file: join(folder, file), line: before.length, column: (before.at(-1) ?? '').length + 1, message: says(name) };
    }
  }
  return undefined;
}

/** A framework's application that opens a port of its own. */
export function listensItself(folder: string, sources: readonly Source[]): Problem | undefined {
  const problem = nearMissIn(
    folder,
    sources.filter(({ file, text }) => !file.endsWith('.py') && IMPORTS_EXPRESS.test(text)),
  );
  return problem?.message.includes('opens a port') ? problem : undefined;
}
