// Reads event streams (text/event-stream), each event JSON in its data lines. No dependencies.

/**
 * What comes in small pieces is joined once. Leaving the loop ends the stream. An event without data, and one
 * that was cut off, is left out.
 */
export async function* eventsIn(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let line = [];
  let data = [];
  let afterReturn = false;
  try {
    for (;;) {
      const { done, value = '\n\n' } = await reader.read();
      // A CR at the end of a piece may be half a CRLF.
      const lines = (afterReturn && value.startsWith('\n') ? value.slice(1) : value).split(/\r\n|\r|\n/);
      afterReturn = value.endsWith('\r');
      const rest = lines.pop();
      for (const end of lines) {
        const whole = line.concat(end).join('');
        line = [];
        if (whole.startsWith('data:')) data.push(whole.slice(5).replace(/^ /, ''));
        if (whole !== '') continue;
        const event = parsed(data.join('\n'), done);
        data = [];
        if (event !== undefined) yield event;
      }
      line.push(rest);
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parsed(text, done) {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (done) return undefined;
    throw error;
  }
}
