// Words of programs where a person reads: names of fields, and lines for a terminal.
import type { Page } from 'playwright-core';

/** What may stand there as it is: JSON, code, and what people have named themselves. */
const CODE = 'pre, code, kbd, textarea, [data-authored], .cm-editor';
/** Where lines for a terminal stand: web/kit/in-terminal.tsx, and the calls of an agent from elsewhere. */
const TERMINAL = '[data-terminal]';

/**
 * Each name of a field and each command line that a page shows outside of these, as one line. The
 * documentation is about both.
 */
export async function programText(page: Page): Promise<string[]> {
  if (new URL(page.url()).pathname.startsWith('/docs')) return [];
  return await page.evaluate<string[]>(`(() => {
    const found = new Set();
    const look = (element, text) => {
      if (!element.closest(${JSON.stringify(TERMINAL)}))
        for (const [command] of text.matchAll(/(?<![\\w./-])(?:svc|npm|npx|curl|git) (?:[a-z-]{2,}|https?:)\\S*(?: \\S+)?/g)) found.add('a command line: ' + command);
      if (!element.closest(${JSON.stringify(CODE)}))
        for (const [word] of text.matchAll(/(?<![\\w])[a-z]+_[a-z_]+(?![\\w])/g)) found.add('a name of a program: ' + word + ' in "' + text.trim().slice(0, 80) + '"');
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      if (data.trim() && parentElement.checkVisibility({ visibilityProperty: true }) && !parentElement.closest('script, style')) look(parentElement, data);
    }
    for (const field of document.querySelectorAll('input, textarea')) {
      if (!field.checkVisibility()) continue;
      look(field, field.placeholder);
      if (!field.closest('[data-authored]')) look(field, field.value);
    }
    return [...found];
  })()`);
}
