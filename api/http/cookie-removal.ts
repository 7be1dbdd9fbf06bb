// A request whose cookies are too large is refused before it is one, and would be for ever: a page of a
// neighbouring host (an agent's) may have set them for the parent domain. The refusal takes away what can be
// such a cookie. The platform's own are `__Host-` cookies, which no other host can set; they stay, and so
// does the session.
const PREFIX = /^__host-/i;
/** A browser takes 256 KiB of headers in an answer; what does not fit is removed next time. */
const MAX_CHARACTERS = 120_000;
const MAX_PATHS = 4;

export interface Removal {
  /** Lines of the answer's head. */
  head: string[];
  /** For a person who opened a page. */
  page?: string;
}

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Too many cookies</title>
<h1>Too many cookies</h1>
<p>Your browser sent more than 16 KiB of headers. Most likely a page of another host set large cookies for this one, too. They were removed now; you are still signed in.</p>
<p><a href="">Try again</a></p></html>`;

/**
 * @param packet what the parser was given when it gave up: the beginning of the request, or a later part of a
 * slow or an encrypted one
 * @param servername of the connection, for a part without the host
 */
export function cookieRemoval(packet: Buffer, servername?: string): Removal {
  const text = packet.toString('latin1');
  const target = /^[A-Z]+ (\S+) HTTP/.exec(text)?.[1];
  // A later part is most likely of the cookies themselves. What it begins in the middle of has no name here.
  const cookies = /^cookie:(.*)/im.exec(text)?.[1] ?? (target === undefined ? /^[^\r\n;]*;([^\r\n]*)/.exec(text)?.[1] : undefined);
  const host = /^host:[ \t]*([^\s:]+)/im.exec(text)?.[1] ?? servername;
  if (cookies === undefined || host === undefined) return { head: [] };
  const head: string[] = [];
  const places = pathsOf(target ?? '/').flatMap((path) => domainsOf(host).map((domain) => `Path=${path}${domain}`));
  let characters = 0;
  for (const name of namesIn(cookies))
    for (const place of places) {
      const line = `set-cookie: ${name}=; ${place}; Max-Age=0`;
      characters += line.length + 2;
      if (characters > MAX_CHARACTERS) break;
      head.push(line);
    }
  const opened = head.length > 0 && /^(?:GET|HEAD) /.test(text) && /^accept:[^\r\n]*text\/html/im.test(text);
  return opened ? { head, page: PAGE } : { head };
}

function namesIn(cookies: string): Set<string> {
  const names = cookies.split(';').flatMap((pair) => (pair.includes('=') ? [pair.slice(0, pair.indexOf('=')).replace(/^[ \t]+|[ \t]+$/g, '')] : []));
  // oxlint-disable-next-line no-control-regex -- what would end the line, or the header
  return new Set(names.filter((name) => name !== '' && !PREFIX.test(name) && !/[\x00-\x1f\x7f]/.test(name)));
}

/** The host's own, and each parent's that could be one of cookies. */
function domainsOf(host: string): string[] {
  const labels = host.split('.');
  if (host.startsWith('[') || labels.every((label) => /^\d+$/.test(label))) return [''];
  return ['', ...labels.slice(0, -1).map((_, at) => `; Domain=${labels.slice(at).join('.')}`)];
}

function pathsOf(target: string): string[] {
  const folders = (target.split('?')[0] ?? '').split('/').filter((folder) => folder !== '' && !folder.includes(';'));
  return ['/', ...folders.slice(0, MAX_PATHS).map((_, at) => `/${folders.slice(0, at + 1).join('/')}`)];
}
