// What every editor of ours has: the look of the page, the language of the file, and the nonce without which
// no style of it would apply.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { styleNonce } from './nonce.ts';

const look = EditorView.theme({
  '&': { fontSize: '13px', color: 'var(--mantine-color-text)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.55' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--mantine-color-dimmed)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'light-dark(rgba(0, 0, 0, 0.035), rgba(255, 255, 255, 0.045))' },
  '.cm-cursor': { borderInlineStartColor: 'var(--mantine-color-text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'light-dark(#cfe0ff, #2b3f63)',
  },
  '.cm-panels': { backgroundColor: 'var(--mantine-color-body)', color: 'var(--mantine-color-text)' },
  '.cm-textfield, .cm-button': { backgroundColor: 'var(--mantine-color-body)', color: 'var(--mantine-color-text)', backgroundImage: 'none' },
  '.cm-searchMatch': { backgroundColor: 'light-dark(#fff0a8, #6b5a00)' },
  '.cm-changedLine': { backgroundColor: 'light-dark(#e6f6ea, #15301f)' },
  '.cm-changedText': { background: 'light-dark(#bfe8c9, #23553a)' },
  '.cm-deletedChunk': { backgroundColor: 'light-dark(#fdeaea, #3a1b1e)' },
  '.cm-deletedChunk .cm-deletedText': { background: 'light-dark(#f6c6c8, #6d2b30)' },
});

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'light-dark(#8024a8, #d7a6f0)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'light-dark(#0d6b33, #8fd6a4)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'light-dark(#a04300, #f0b184)' },
  { tag: [tags.comment, tags.meta], color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
  { tag: [tags.propertyName, tags.attributeName, tags.definition(tags.propertyName)], color: 'light-dark(#1c4fc4, #9dbcff)' },
  { tag: [tags.typeName, tags.className, tags.namespace], color: 'light-dark(#0b6470, #86d3de)' },
  { tag: tags.heading, fontWeight: '700' },
  { tag: tags.link, textDecoration: 'underline' },
  { tag: tags.invalid, color: 'light-dark(#c01f2b, #ff9aa2)' },
]);

/** @param label said by screen readers */
export async function base(path: string, label: string): Promise<Extension[]> {
  return [
    EditorView.cspNonce.of(styleNonce()),
    EditorView.contentAttributes.of({ 'aria-label': label }),
    look,
    syntaxHighlighting(colors),
    ...(await languageOf(path)),
  ];
}

async function languageOf(path: string): Promise<Extension[]> {
  const name = path.split('/').at(-1) ?? '';
  const end = name.includes('.') ? name.split('.').at(-1) : '';
  switch (end) {
    case 'ts':
    case 'mts':
    case 'cts':
    case 'tsx':
    case 'js':
    case 'mjs':
    case 'cjs':
    case 'jsx': {
      const { javascript } = await import('@codemirror/lang-javascript');
      return [javascript({ typescript: /^[mc]?tsx?$/.test(end), jsx: end.endsWith('x') })];
    }
    case 'py':
      return [(await import('@codemirror/lang-python')).python()];
    case 'json':
      return [(await import('@codemirror/lang-json')).json()];
    case 'yaml':
    case 'yml':
      return [(await import('@codemirror/lang-yaml')).yaml()];
    case 'md':
      return [(await import('@codemirror/lang-markdown')).markdown()];
    default:
      return [];
  }
}
