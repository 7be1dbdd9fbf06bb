// Which agent a command is about: the one named, else that of the project in the folder.
import { readProject } from './read.ts';

export async function agentName(named: string | undefined, folder: string): Promise<string> {
  return named ?? (await readProject(folder)).manifest.name;
}
