/** What full-text search looks through: names weigh by standing first. */
export function searchText(a: { name: string; description: string; tags: readonly string[]; skills: readonly { id: string; description: string }[] }): string {
  return [
    a.name,
    a.name.replaceAll('-', ' '),
    ...a.tags,
    ...a.skills.map((s) => s.id.replaceAll(/[_-]/g, ' ')),
    a.description,
    ...a.skills.map((s) => s.description),
  ]
    .join(' ')
    .slice(0, 8_000);
}
