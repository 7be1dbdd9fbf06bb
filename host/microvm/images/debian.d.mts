import type { Edition } from './edition.ts';

export interface DebianRecipe {
  /** Beginning of the file's name. */
  name: string;
  packages: readonly string[];
  /** Shell lines run on this host while the tree is open as "$1". */
  hooks: readonly string[];
  /** Path of another tree's tar file: the packages are added to it. */
  over?: string;
}
export declare const debianRecipe: DebianRecipe;
/** Name in the cache folder; what stands over another tree is of that tree's edition. */
export declare function debianTree(edition: Edition, recipe?: DebianRecipe): string;
/**
 * What makes a tree again, into the tar file `path`.
 * @param work as root, a folder to work in beside the result, where the next builder cleans up after a kill; absent for other users, whose namespace could not enter there
 */
export declare function debianCommand(
  path: string,
  recipe: DebianRecipe,
  work: string | undefined,
): { command: string; args: string[]; env: Record<string, string> };
