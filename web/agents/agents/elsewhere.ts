/** For a link that is drawn by another component: its path and what stands behind the question mark. */
export function elsewhere(to: string, search: Record<string, string> = {}): { to: string; search: never } {
  // Safe: the router writes any record of texts into an address; the page it leads to reads what it knows.
  return { to, search: search as never };
}
