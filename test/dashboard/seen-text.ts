// What a reader of a page sees, or hears from a screen reader, outside of the signs ⟦ and ⟧ that stand
// around each message of the pseudo-language.
import type { Page } from 'playwright-core';

interface SeenText {
  text: string;
  /** The element, for who looks for it: "div > p.lead" or "button[aria-label]". */
  where: string;
}

export interface Seen {
  outside: SeenText[];
  /** More were opened than closed: a message was cut. */
  open: number;
}

/** Code, what people wrote (bdi, Markdown), and the documentation, which is translated as documents. */
const CODE = 'code, kbd, pre, samp, script, style, noscript, textarea, .cm-editor, bdi, [class*=_markdown_], [data-documentation]';
const ATTRIBUTES = ['title', 'aria-label', 'aria-description', 'aria-valuetext', 'placeholder', 'alt', 'data-hint', 'data-head'];

/** In the order of the document: a message goes through the elements that stand in it. */
export const textOutside = (page: Page): Promise<Seen> =>
  page.evaluate<Seen>(`(() => {
  const outside = [];
  let open = 0;
  const without = (text) => {
    let kept = '';
    for (const sign of text) {
      if (sign === '⟦') open += 1;
      else if (sign === '⟧') open -= 1;
      else if (open === 0) kept += sign;
    }
    return kept.trim();
  };
  const nameOf = (element) => [element.parentElement?.tagName, element.tagName].join(' > ').toLowerCase() + (element.className && typeof element.className === 'string' ? '.' + element.className.split(' ')[0] : '');
  const all = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  while (all.nextNode()) {
    const node = all.currentNode;
    if (node.nodeType === 1) {
      const before = open;
      for (const name of ${JSON.stringify(ATTRIBUTES)}) {
        open = 0;
        const text = node.hasAttribute(name) && !node.closest(${JSON.stringify(CODE)}) ? without(node.getAttribute(name)) : '';
        if (text !== '') outside.push({ text, where: nameOf(node) + '[' + name + ']' });
      }
      open = before;
      continue;
    }
    const element = node.parentElement;
    const isSeen = element.checkVisibility() || element.closest('option, title, svg');
    if (element.closest(${JSON.stringify(CODE)})) continue;
    const text = without(node.data);
    if (isSeen && text !== '') outside.push({ text, where: nameOf(element) });
  }
  return { outside, open };
})()`);
