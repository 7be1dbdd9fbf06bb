// Templates of projects: which files one is made of, and how their places are filled. The tool writes
// projects with it, the platform brings newer ones.
import type { FRONTEND_MODES } from '../states.ts';

export const TEMPLATE_LANGUAGES = ['python', 'typescript', 'javascript', 'go', 'rust'] as const;
export type TemplateLanguage = (typeof TEMPLATE_LANGUAGES)[number];
export const TEMPLATE_FRONTENDS = ['static', 'react', 'nextjs'] as const;
export type TemplateFrontend = (typeof TEMPLATE_FRONTENDS)[number];
/** Templates of pages: three of files, two whose pages a program writes. */
const PAGES = [...TEMPLATE_FRONTENDS, 'react-server', 'nextjs-server'] as const;

/** Files of a folder of the repository, and where in the project they go. */
export interface TemplatePart {
  /** From the top of the repository. */
  from: string;
  /** Below the project; '': its top. */
  to: string;
  /** Only these; absent: all below. */
  only?: readonly string[];
  /** All but these. */
  without?: readonly string[];
}

/** The demos of the worker protocol are what a project in their language starts with. */
const DEMO_SOURCES: Partial<Record<TemplateLanguage, readonly string[]>> = { go: ['main.go'], rust: ['src/main.rs', 'src/json.rs'] };

export function templateRef(language: TemplateLanguage, frontend?: TemplateFrontend, mode: (typeof FRONTEND_MODES)[number] = 'static'): string {
  return frontend === undefined ? language : `${language}+${frontend}${mode === 'static' ? '' : '-server'}`;
}

/** Of `templateRef`; undefined: there is no such template. */
export function templateParts(ref: string): TemplatePart[] | undefined {
  const [named, page, ...more] = ref.split('+');
  const language = TEMPLATE_LANGUAGES.find((one) => one === named);
  const frontend = PAGES.find((one) => one === page);
  if (language === undefined || more.length > 0 || (page !== undefined && frontend === undefined)) return undefined;
  const parts: TemplatePart[] = [{ from: `cli/templates/${language}`, to: '' }];
  const demo = DEMO_SOURCES[language];
  if (demo) parts.push({ from: `sdk/${language}`, to: '', only: demo });
  if (frontend !== undefined) parts.push({ from: `cli/templates/frontend-${frontend}`, to: 'frontend' });
  // The page is React's, and written once.
  if (frontend === 'react-server') parts.push({ from: 'cli/templates/frontend-react/src', to: 'frontend/src', without: ['main.tsx.tmpl', 'main.tsx'] });
  if (frontend === 'nextjs' || frontend === 'nextjs-server')
    parts.push({ from: 'cli/templates/frontend-react/src', to: 'frontend/app', without: ['main.tsx.tmpl', 'main.tsx'] });
  return parts;
}

export const TEMPLATE_REFS: readonly string[] = TEMPLATE_LANGUAGES.flatMap((language) => [
  templateRef(language),
  ...PAGES.map((page) => `${language}+${page}`),
]);

/**
 * Where a file of a part goes. npm leaves out files named .gitignore when it packs, so the template has
 * another name.
 */
export function templatePath(part: TemplatePart, path: string): string {
  const name = path.replace(/(^|\/)dot-/, '$1.').replace(/\.tmpl$/, '');
  return part.to === '' ? name : `${part.to}/${name}`;
}

export interface TemplateValues {
  name: string;
  description: string;
  /** What package.json says of the SDK. */
  sdk: string;
  /** Of the frontend; absent: there is none. */
  auth?: string | undefined;
  lineage: { ref: string; version: string; digest: string; update_policy: string };
}

/** The project's files by their paths. `files`: the template's, unfilled. */
export function fillTemplate(files: Readonly<Record<string, string>>, values: TemplateValues): Record<string, string> {
  const { name, description, sdk } = values;
  // {{name}} and {{Class}} as they are; {{description}} as a quoted string, which JSON, YAML, TypeScript and
  // Python read alike.
  const places: Record<string, string> = { name, Class: classNameOf(name), description: JSON.stringify(description), description_text: description, sdk };
  const fill = (text: string): string => text.replaceAll(/\{\{(\w+)\}\}/g, (whole, key: string) => places[key] ?? whole);
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, path === 'svc.yaml' ? `${fill(text)}${frontendBlock(values)}${lineageBlock(values)}` : fill(text)]),
  );
}

function frontendBlock({ auth, lineage }: TemplateValues): string {
  if (auth === undefined) return '';
  const dist = lineage.ref.endsWith('+static') ? '.' : 'dist';
  const mode = lineage.ref.endsWith('-server') ? '  mode: server-rendered\n' : '';
  return `# Served at /app beside the agent.\nfrontend:\n  path: frontend\n  build: npm run build\n  dist: ${dist}\n  mount: /app\n  auth: ${auth}\n${mode}`;
}

function lineageBlock({ description, lineage: { ref, version, digest, update_policy } }: TemplateValues): string {
  return `# What the project began with, so that newer templates can be merged (svc upgrade --template).\ntemplate:\n  ref: ${ref}\n  version: ${version}\n  digest: ${digest}\n  description: ${JSON.stringify(description)}\n  update_policy: ${update_policy}\n`;
}

/** The same block with another version; everything else of the text stays. */
export function withLineage(yaml: string, from: { version: string; digest: string }, to: { version: string; digest: string }): string {
  return yaml.replace(/^template:\s*\n(?:[ \t]+[^\n]*\n?)+/m, (block) =>
    block
      .replace(from.digest, to.digest)
      .replace(new RegExp(String.raw`^(\s+version:\s*["']?)${from.version.replaceAll('.', String.raw`\.`)}`, 'm'), `$1${to.version}`),
  );
}

/** "text-kit" → TextKit; "3d-maker" → Agent3dMaker, for a class cannot begin with a digit. */
export function classNameOf(name: string): string {
  const words = name.split('-').filter(Boolean);
  const joined = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
  return /^\d/.test(joined) ? `Agent${joined}` : joined;
}
