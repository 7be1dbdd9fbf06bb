// A project under another name: svc.yaml says it, and so must the class.
import { isMap, parseDocument } from 'yaml'; // the YAML 1.2 parser without custom tags or code
import { quoted } from '../../agents/source/literal.ts';
import { type ProjectFile, textOf } from '../../agents/source/pack.ts';
import { Conflict } from '../../kernel/errors.ts';

const CODE = /\.(?:ts|mts|js|mjs|py)$/;

/** @throws Conflict studio_no_source where svc.yaml cannot be read */
export function withAgentName(files: readonly ProjectFile[], name: string): ProjectFile[] {
  const manifest = files.find(({ path }) => path === 'svc.yaml');
  const document = parseDocument(manifest ? textOf(manifest) : '');
  const before = document.get('name');
  if (!isMap(document.contents) || typeof before !== 'string')
    throw new Conflict('studio_no_source', 'The svc.yaml of that agent cannot be read: choose another');
  document.set('name', name);
  // A template, a mailbox or a listing of the other agent is not its copy's.
  document.delete('template');
  document.delete('expose');
  const nameAssignment = new RegExp(`(\\bname\\s*[:=]\\s*)(["'])${before.replaceAll(/[^A-Za-z0-9]/g, (one) => `\\${one}`)}\\2`, 'g');
  return files.map((file) => {
    if (file.path === 'svc.yaml') return { ...file, content: document.toString() };
    if (!CODE.test(file.path)) return file;
    const code = textOf(file);
    return nameAssignment.test(code) ? { ...file, content: code.replace(nameAssignment, (_all, start: string) => `${start}${quoted(name)}`) } : file;
  });
}
