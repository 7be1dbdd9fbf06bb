// A picture (docs/pictures/*.svg) as a tree that React draws, so that it has the colors of the theme. Its own
// style is for readers who open the file; the pages have theirs (web/docs/picture.module.css).
import type { Drawing } from '../../docs/tree.ts';

const TAGS = new Set(['svg', 'g', 'rect', 'circle', 'ellipse', 'line', 'path', 'polyline', 'polygon', 'text', 'tspan', 'defs', 'marker']);
const DROPPED = /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<style>[\s\S]*?<\/style>|<title>[\s\S]*?<\/title>/g;
const TOKEN = /<(\/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>|([^<]+)/g;
const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"', '&#39;': "'" };

export const decoded = (text: string): string => text.replaceAll(/&(?:lt|gt|amp|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);

/** @throws Error on what no picture of ours needs */
export function drawingOf(source: string, svg: string): Drawing {
  const top: Drawing = { tag: 'top', attributes: {}, inside: [] };
  const open = [top];
  for (const [, end, tag = '', attributes = '', closed, text] of svg.replaceAll(DROPPED, '').matchAll(TOKEN)) {
    const parent = open.at(-1) ?? top;
    if (text !== undefined) {
      if (text.trim() !== '') parent.inside.push(decoded(text));
    } else if (end) {
      if (open.pop()?.tag !== tag) throw new Error(`${source}: </${tag}> closes what is not open`);
    } else {
      if (!TAGS.has(tag)) throw new Error(`${source}: pictures have no <${tag}>`);
      const drawing: Drawing = { tag, attributes: attributesOf(source, attributes), inside: [] };
      parent.inside.push(drawing);
      if (!closed) open.push(drawing);
    }
  }
  const [first] = top.inside;
  if (open.length !== 1 || typeof first !== 'object' || first.tag !== 'svg') throw new Error(`${source} is no whole <svg>`);
  return first;
}

/** By the names that React has for them. */
function attributesOf(source: string, text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w:-]+)="([^"]*)"/g)].flatMap(([, name = '', value = '']) => {
      if (name === 'xmlns') return [];
      if (/^on|href|style/.test(name)) throw new Error(`${source}: pictures have no attribute ${name}`);
      return [[name === 'class' ? 'className' : name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()), decoded(value)]];
    }),
  );
}
