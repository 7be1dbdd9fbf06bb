/** Lines of an answer that is newline-delimited JSON, as they come; empty ones are left out. */
export async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done = true, value = '' } = (await reader?.read()) ?? {};
    const parts = (rest + value).split('\n');
    rest = done ? '' : (parts.pop() ?? '');
    for (const part of parts) if (part.trim() !== '') yield part;
    if (done) return;
  }
}
