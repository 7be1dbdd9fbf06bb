/** @throws an error that says what to do, where the browser does not let the page copy */
export async function copyText(text: string): Promise<void> {
  // Absent over plain http, except at localhost.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard) return clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  field.setAttribute('readonly', '');
  field.style.position = 'fixed';
  const focused = document.activeElement;
  // Inside an open dialog: it would take the focus back from a field elsewhere.
  (focused?.closest('[role=dialog]') ?? document.body).append(field);
  field.select();
  // Deprecated and without a successor on plain http.
  const copied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!copied) throw new Error('The browser does not let this page copy over plain http. Select the text and copy it by hand.');
}
