import { describe, expect, it } from 'vitest';
import { nameOf, parseReference } from './reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;

describe('image references', () => {
  it.each([
    ['python', 'docker.io/library/python:latest'],
    ['python:3.11-slim', 'docker.io/library/python:3.11-slim'],
    ['bitnami/redis:7', 'docker.io/bitnami/redis:7'],
    ['index.docker.io/library/python:3', 'docker.io/library/python:3'],
    ['ghcr.io/a/b/c:v1.0', 'ghcr.io/a/b/c:v1.0'],
    ['localhost:5000/x', 'localhost:5000/x:latest'],
    [`quay.io/x/y:1@${digest}`, `quay.io/x/y@${digest}`],
  ])('%s is %s', (text, name) => {
    const found = parseReference(text);
    expect(found === undefined ? undefined : nameOf(found)).toBe(name);
  });

  it.each([
    '',
    '-x',
    '--tls-verify=false',
    'a b',
    'UPPER',
    'a:',
    'a@sha256:12',
    '../x',
    'a/../b',
    'docker://x',
    'x:tag\n',
    'ghcr.io/',
    'a..b/c',
    `${'a'.repeat(300)}`,
  ])('%j is none', (text) => {
    expect(parseReference(text)).toBeUndefined();
  });
});
