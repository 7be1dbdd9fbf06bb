// The text of a mail that has only HTML. Each step reads the text once, also for hostile input.

const MAX_LENGTH = 1024 * 1024;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

export function textOfHtml(html: string): string {
  const shown = ['head', 'script', 'style', 'title'].reduce(without, html.slice(0, MAX_LENGTH).replace(/<!--[^<>]*-->/g, ''));
  return shown
    .replace(/[\r\n\t ]+/g, ' ')
    .replace(/<(?:br|\/p|\/div|\/tr|\/li|\/h[1-6])\b[^<>]{0,1000}>/gi, '\n')
    .replace(/<[^<>]{0,10000}>/g, '')
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replace(/&#(\d{1,7});/g, (_, code: string) => (Number(code) > 0x10_ffff ? '' : String.fromCodePoint(Number(code))))
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();
}

/** Without elements of this name and all they hold. */
function without(html: string, name: string): string {
  const lower = html.toLowerCase();
  // A name that lower case makes longer would shift every place.
  if (lower.length !== html.length) return html;
  const parts: string[] = [];
  let at = 0;
  for (let open = lower.indexOf(`<${name}`); open !== -1; open = lower.indexOf(`<${name}`, at)) {
    parts.push(html.slice(at, open));
    const close = lower.indexOf(`</${name}`, open);
    if (close === -1) return parts.join('');
    at = close + name.length + 2;
    const end = lower.indexOf('>', at);
    if (end !== -1) at = end + 1;
  }
  parts.push(html.slice(at));
  return parts.join('');
}
