import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { greeterFiles, tarball } from '#test/support/project.ts';
import { languageOf, languageOfSource } from './language.ts';

const of = (entrypoint: string, ...files: string[]) => languageOf(entrypoint, (path) => files.includes(path));

describe('the language of a project', () => {
  test('is that of its entry module', () => {
    expect(of('agent:A', 'agent.ts', 'agent.js')).toBe('typescript');
    expect(of('agent:A', 'agent.mjs')).toBe('javascript');
    expect(of('agent:A', 'agent.py', 'package.json')).toBe('python');
    expect(of('my.agent:A', 'my/agent.py')).toBe('python');
    expect(of('agents:A', 'agents/__init__.py')).toBe('python');
    expect(of('agent.py:A', 'agent.py')).toBe('python');
  });

  test('is Go or Rust where there is no such module but theirs', () => {
    expect(of('main:Sum', 'main.go', 'go.mod')).toBe('go');
    expect(of('main:Sum', 'src/main.rs', 'Cargo.toml')).toBe('rust');
    expect(of('agent:A', 'agent.py', 'go.mod')).toBe('python');
  });

  test('is not known without any of them', () => expect(of('agent:A', 'README.md')).toBeUndefined());

  test('is found in a stored source, with any form of paths in the tar', async () => {
    const found = async (files: Record<string, string>) => languageOfSource(Readable.from([await tarball(files)]), 'agent:Greeter');
    expect((await found(greeterFiles('greeter'))).language).toBe('typescript');
    const { language, read } = await found({ 'agent.py': '', 'svc.yaml': '', '.python-version': '3.13', 'sub/pyproject.toml': 'x' });
    expect([language, read('.python-version'), read('pyproject.toml')]).toEqual(['python', '3.13', undefined]);
  });
});
