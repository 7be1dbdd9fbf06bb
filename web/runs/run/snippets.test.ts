import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { cliOf, curlOf, typescriptOf } from './snippets.ts';

const call = { origin: 'http://localhost:8080', agent: 'demo', skill: 'greet', args: { name: `O'Hara "$HOME" \`id\``, n: 1 } };

/** As a shell hands them to the program. */
const wordsOf = (command: string): string[] =>
  JSON.parse(
    execFileSync('sh', ['-c', `set -- ${command.replace(/^\S+ /, '')}; node -e 'console.log(JSON.stringify(process.argv.slice(1)))' -- "$@"`], {
      encoding: 'utf8',
    }),
  );

test('a shell hands on the arguments as they are', () => {
  const words = wordsOf(curlOf(call));
  expect(words).toContain('http://localhost:8080/v1/agents/demo/api/runs/greet/start');
  expect(JSON.parse(words.at(-1) ?? '')).toEqual(call.args);
  const cli = wordsOf(cliOf(call).replace('npx ', ''));
  expect(cli.slice(0, 4)).toEqual(['call', 'demo', 'greet', '--json']);
  expect(JSON.parse(cli[4] ?? '')).toEqual(call.args);
});

test('the TypeScript is a call of the client', () => {
  expect(typescriptOf(call)).toContain(`params: { name: "demo", skill_name: "greet" },`);
  expect(typescriptOf(call)).toContain('"n": 1');
});
