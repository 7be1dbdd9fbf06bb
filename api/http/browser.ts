// Whether a person at a browser reads the answer: then it is a page.
import type { IncomingMessage } from 'node:http';

/** A page that a browser navigates to; not what a program or a page's script requests. */
export function isPageVisit({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  const mode = headers['sec-fetch-mode'];
  return (
    method === 'GET' && headers.authorization === undefined && headers.accept?.includes('text/html') === true && (mode === undefined || mode === 'navigate')
  );
}

/** HEAD is answered as GET is. */
export function isPageLook({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return isPageVisit({ method: method === 'HEAD' ? 'GET' : method, headers });
}

/** A message of ours as a sentence. */
export function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
}

const TITLES: Record<number, string> = { 404: 'Nothing here', 421: 'Unknown host', 429: 'Too many at once', 503: 'Not now', 504: 'No answer in time' };

export function titleOf(status: number): string {
  return TITLES[status] ?? 'That did not work';
}
