// Reads an event stream (text/event-stream) as it comes: only what our agents write, so without `retry`.

export interface ServerEvent {
  id: string | undefined;
  event: string;
  data: string;
}

class StreamTooLarge extends Error {}

/** @throws StreamTooLarge when one event, or what is left of it, has more characters than `maxLength` */
export async function* readEvents(body: AsyncIterable<Uint8Array>, maxLength: number): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  // An event may come in thousands of pieces: they are joined once, when its end is there.
  let pieces: string[] = [];
  let length = 0;
  let tail = '';
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true });
    pieces.push(text);
    length += text.length;
    if (BLANK_LINE.test(tail + text)) {
      let rest = pieces.join('');
      for (let end = BLANK_LINE.exec(rest); end; end = BLANK_LINE.exec(rest)) {
        const event = parse(rest.slice(0, end.index));
        rest = rest.slice(end.index + end[0].length);
        if (event) yield event;
      }
      pieces = [rest];
      length = rest.length;
      tail = rest.slice(-3);
    } else tail = (tail + text).slice(-3);
    if (length > maxLength) throw new StreamTooLarge(`an event has more than ${maxLength} characters`);
  }
}

const BLANK_LINE = /\r\n\r\n|\n\n|\r\r/;

/** Undefined for comments alone. */
function parse(block: string): ServerEvent | undefined {
  let id: string | undefined;
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'id') id = value;
    else if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  }
  return data.length > 0 ? { id, event, data: data.join('\n') } : undefined;
}
