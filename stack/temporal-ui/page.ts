// The page at the UI's bare address: puts our columns and views where the UI keeps a person's own, in the
// browser, and continues to our namespace.
import { createHash } from 'node:crypto';
import { COLUMNS, VIEWS } from './views.ts';

export interface Page {
  html: string;
  headers: Record<string, string>;
}

/** Where the UI (2.42) keeps them, each by namespace. What a person has chosen there is not changed. */
const KEYS = { columns: 'namespace-workflow-table-columns', views: 'saved-workflow-queries' };

export function openingPage(namespace: string): Page {
  const list = `/namespaces/${encodeURIComponent(namespace)}/workflows`;
  const views = VIEWS.map(({ name, query }) => ({ id: `svc-${name.toLowerCase().replaceAll(' ', '-')}`, name, query, type: 'user' }));
  const script = `
const put = (key, value) => {
  let stored;
  try { stored = JSON.parse(localStorage.getItem(key)); } catch {}
  if (stored === null || typeof stored !== 'object' || Array.isArray(stored)) stored = {};
  if (!Object.hasOwn(stored, ${text(namespace)})) localStorage.setItem(key, JSON.stringify({ ...stored, ${text(namespace)}: value }));
};
try {
  put(${text(KEYS.columns)}, ${text(COLUMNS)});
  put(${text(KEYS.views)}, ${text(views)});
} finally {
  location.replace(${text(list)});
}`;
  const hash = createHash('sha256').update(script).digest('base64');
  return {
    html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Workflows</title><p><a href="${list}">Workflows of the platform</a></p><script>${script}</script></html>\n`,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  };
}

/** As a literal inside a script element. */
function text(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
