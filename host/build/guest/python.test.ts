import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { DSL_FILE } from '#contract/wire/dsl.ts';
import { errorLines, placeIn, rustProgram } from './compiled.ts';
import { dslFile } from './plan.ts';
import { findPythonEntry, installFailure, problemsIn, pythonCacheKey, readPythonProject } from './python.ts';

const dirs: string[] = [];
afterEach(() => dirs.splice(0).forEach((dir) => rmSync(dir, { recursive: true, force: true })));

function project(files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-project-'));
  dirs.push(dir);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}
const keyOf = (files: Record<string, string>, salt = 's', pyproject?: unknown): string | null => {
  const dir = project(files);
  return pythonCacheKey(dir, readPythonProject(dir, pyproject), salt);
};

describe('a project in Python', () => {
  test('has its entry where svc.yaml says, and inside', () => {
    const dir = project({ 'agent.py': '', 'deep/er.py': '', 'pkg/__init__.py': '' });
    expect(findPythonEntry(dir, 'agent:A')).toEqual({ module: 'agent:A', file: 'agent.py' });
    expect(findPythonEntry(dir, 'deep/er.py:A')).toEqual({ module: 'deep.er:A', file: 'deep/er.py' });
    expect(findPythonEntry(dir, 'pkg:A')).toEqual({ module: 'pkg:A', file: 'pkg/__init__.py' });
    expect(() => findPythonEntry(dir, 'nope:A')).toThrow('there is no nope.py');
  });

  test('gets the SDK from the platform: alone it is nothing to install', () => {
    const dir = project({ 'requirements.txt': '# ours\nsvc_sdk>=0.1\n' });
    expect(readPythonProject(dir, { project: { dependencies: ['svc-sdk'] } })).toMatchObject({ needs: [] });
  });

  test('is installed anew unless every version is written down', () => {
    expect(keyOf({ 'requirements.txt': 'httpx\n' })).toBeNull();
    expect(keyOf({ 'requirements.txt': 'httpx==1.*\n' })).toBeNull();
    expect(keyOf({ 'requirements.txt': '-r more.txt\n' })).toBeNull();
    expect(keyOf({ 'requirements.txt': 'x @ https://elsewhere.test/x.whl\n' })).toBeNull();
    const pinned = { 'requirements.txt': 'httpx[http2]==0.28.1 \\\n  --hash=sha256:aa\nanyio==4.0 ; python_version > "3"\n' };
    const key = keyOf(pinned);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(keyOf({ ...pinned, 'agent.py': 'x' })).toBe(key);
    expect(keyOf(pinned, 'another base')).not.toBe(key);
    const declared = { project: { dependencies: ['httpx>=0.2'] } };
    expect(keyOf({ 'pyproject.toml': 'x' }, 's', declared)).toBeNull();
    expect(keyOf({ 'pyproject.toml': 'x', 'uv.lock': 'y' }, 's', declared)).toMatch(/^[0-9a-f]{64}$/);
  });

  test('that is broken is reported by file and line, with the message of the SDK', () => {
    const list = JSON.stringify([{ file: '/work/out/app/agent.py', line: 3, message: 'name is missing' }, { message: 'no skills' }]);
    expect(problemsIn(list, '/work/out/app')).toEqual(['agent.py:3: error: name is missing', 'error: no skills']);
    expect(problemsIn('Traceback …', '/app')).toBeUndefined();
    expect(problemsIn('[]', '/app')).toBeUndefined();
  });

  test('whose package has no wheel gets the advice to choose another version', () => {
    const said = '  × No solution found when resolving dependencies:\n  ╰─▶ Because old==1 has no usable wheels and building from source is disabled, …\n';
    expect(installFailure(said)).toMatch(/old==1 has no usable wheels.*Builds install wheels only/);
  });
});

test('the program of a Rust project is its first binary, or the package', () => {
  expect(rustProgram('[package]\nname = "sum"\nversion = "1"\n\n[dependencies]\n')).toBe('sum');
  expect(rustProgram('[package]\nname = "sum"\n\n[[bin]]\nname = "worker"\npath = "src/main.rs"\n')).toBe('worker');
});

test('of a compiler’s output the lines that name a place are the error', () => {
  expect(errorLines('# module\n./main.go:5:2: undefined: x\n', placeIn.go)).toBe('./main.go:5:2: undefined: x');
  expect(errorLines('', /x/)).toContain('output is above');
});

test('both sides know the compiled declaration by one name', () => expect(dslFile).toBe(DSL_FILE));
