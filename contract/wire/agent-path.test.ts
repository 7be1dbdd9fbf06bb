import { expect, test } from 'vitest';
import { inOneSpelling, isProtocolPath } from './agent-path.ts';

test('an agent’s own paths have one spelling; every other path stays as it is', () => {
  for (const [given, one] of [
    ['/mcp/', '/mcp'],
    ['//mcp?a=//b/', '/mcp?a=//b/'],
    ['/invoke//greet//', '/invoke/greet'],
    ['/.well-known/oauth-protected-resource//mcp/', '/.well-known/oauth-protected-resource/mcp'],
    ['/v1//tasks/t-1:cancel', '/v1/tasks/t-1:cancel'],
    ['/a2a/.well-known//agent-card.json', '/a2a/.well-known/agent-card.json'],
  ])
    expect([given, inOneSpelling(given ?? '')]).toEqual([given, one]);
  const others = [
    '/',
    '//',
    '/app//x/',
    '/app/',
    '/runs//x',
    '/answers/',
    '/invoke/../runs//x',
    '/invoke/..//x',
    '/invoke//%2e%2e/',
    '/mcp//\\x',
    '/invoke//.hidden',
    '/mcp',
  ];
  for (const path of [...others, '//evil.example/mcp', '/.//mcp', '/mcp/..;//x']) expect([path, inOneSpelling(path)]).toEqual([path, path]);
});

test('what programs speak with an agent, and not the documents beside it', () => {
  for (const path of ['/invoke/greet', '/invoke/%67reet', '/mcp', '/a2a', '/ag-ui', '/message:send', '/v1/message:stream', '/tasks/1', '/v1/card'])
    expect([path, isProtocolPath(path)]).toEqual([path, true]);
  for (const path of ['/', '/app/x', '/healthz', '/a2a/.well-known/agent-card.json', '/.well-known/agent-card', '/mcpx', '/invoke'])
    expect([path, isProtocolPath(path)]).toEqual([path, false]);
});
