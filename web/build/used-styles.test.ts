// Of the style sheet stays what an element of ours can have.
import { expect, test } from 'vitest';
import { without } from './used-styles.ts';

const used = new Set(['m_aaaa']);

test('rules of classes that no module names go, and blocks that are empty then', () => {
  expect(without('.m_aaaa{color:red}.m_bbbb{color:blue}', used)).toBe('.m_aaaa{color:red}');
  expect(without('@media (hover:hover){.m_bbbb:hover{x:y}}', used)).toBe('');
  expect(without('@media (hover:hover){.m_bbbb:hover{x:y}.m_aaaa:hover{x:y}}', used)).toBe('@media (hover:hover){.m_aaaa:hover{x:y}}');
  expect(without('.m_aaaa,.m_bbbb{x:y}', used)).toBe('.m_aaaa{x:y}');
  expect(without('.m_bbbb .m_aaaa{x:y}', used)).toBe('');
});

test('what names no class of the library stays, and so does what stands in brackets beside a used one', () => {
  for (const css of [
    'body{margin:0}',
    '@keyframes m_cccc{from{opacity:0}}',
    ':root{--m_bbbb:1}',
    '.m_aaaa:not(.m_bbbb){x:y}',
    ':where(.m_bbbb,.m_aaaa) .m_aaaa{x:y}',
  ])
    expect(without(css, used)).toBe(css);
});
