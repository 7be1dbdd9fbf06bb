// The MCP Inspector, by its command line. It has nobody to ask: a question is answered as a model does that
// calls tools, by a call. Each of its calls is a connection of its own, so it signs in: the question is that
// person's.
import { execFileSync } from 'node:child_process';
import { MCP, tell, TOKEN } from './report.mjs';

function inspect(...args) {
  try {
    return execFileSync('node_modules/.bin/mcp-inspector', ['--cli', MCP, '--transport', 'http', '--header', `Authorization: Bearer ${TOKEN}`, ...args], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch (error) {
    // What a tool refuses is told, and an exit code.
    return `${error.stdout}${error.stderr}`;
  }
}
const call = (name, args = {}) => inspect('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args));

const [question_id] = /qst_[0-9a-f-]{36}/.exec(call('paint')) ?? [];
tell('@modelcontextprotocol/inspector', {
  discover: inspect('--method', 'initialize'),
  list: JSON.parse(inspect('--method', 'tools/list')).tools.map(({ name }) => name),
  call: call('greet', { name: 'Ada' }),
  refuse: call('add', { a: 'x', b: 1 }),
  answer: call('answer_question', { question_id, answer: 'blue' }),
});
