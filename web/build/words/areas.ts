// Where a message stands in the catalogue: with those of its area; those of several areas stand together.
export const SHARED = 'shared';

/** @param file from the root of the repository: "web/agents/owner/make.tsx"; or an area and what is in it */
export function areaOf(file: string): string {
  const [folder = '', area = ''] = file.split('/');
  return folder === 'web' ? area : folder;
}
