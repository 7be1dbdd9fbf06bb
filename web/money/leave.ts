/** Goes to a page of the payment processor, or back from it: nothing but http. */
export function leaveTo(url: string): void {
  const { protocol, href } = new URL(url, location.origin);
  if (protocol === 'https:' || protocol === 'http:') location.assign(href);
}
