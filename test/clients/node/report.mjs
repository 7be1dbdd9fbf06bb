// What every client here says of itself at its end: one line of JSON. Keys beside `version` are steps; what
// they must hold is in ../clients.ts.
import { readFileSync } from 'node:fs';

export const URL = process.argv[2];
export const MCP = `${URL}/mcp`;
/** Of a person; for clients that have to be somebody. */
export const TOKEN = process.argv[3];
export const ANSWER = { answer: 'blue' };

export function tell(name, steps) {
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
  process.stdout.write(`${JSON.stringify({ version, ...steps })}\n`);
  process.exit(0);
}
