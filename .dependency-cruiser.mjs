// The arrows between folders, and between the areas of core/. `npm run arrows` checks them; AGENTS.md has
// them as a table.

const FOLDERS = [
  'activities',
  'api',
  'bench',
  'cli',
  'contract',
  'core',
  'db',
  'drivers',
  'examples',
  'host',
  'imports',
  'sdk',
  'stack',
  'test',
  'web',
  'worker',
  'workflows',
];
/** Each imports from those before it and from itself. The areas of one row do not know each other. */
const AREAS = [
  ['kernel'],
  ['accounts'],
  ['outbox'],
  ['jobs'],
  ['policy'],
  ['threads'],
  ['agents'],
  ['workspace'],
  ['pauses'],
  ['evidence'],
  ['money'],
  ['public'],
  ['runs'],
  ['quality'],
  ['deploys'],
  ['conversation'],
  ['imports'],
  ['identity'],
  ['studio', 'orgs'],
  ['platform'],
  ['overview'],
];
/**
 * Areas of the dashboard: pages of one import those of areas before it. Tables of routes (`pages.ts`) put
 * pages of all areas under one address.
 */
const PAGES = [
  'pauses',
  'workspace',
  'conversation',
  'money',
  'evidence',
  'studio',
  'agents',
  'deploys',
  'imports',
  'quality',
  'policy',
  'runs',
  'identity',
  'orgs',
  'platform',
  'overview',
];
/** Tests may import everything. */
const TESTS = ['\\.test\\.ts$', '/conformance\\.ts$', '(^|/)test/', '^workflows/histories/'];

/** Copied into projects as they are: they import what an author's own files do. */
const PROJECTS = ['^core/studio/recipe/[^/]+/project/', '^core/studio/recipe/shared/'];

const inFolders = (folders) => `^(${folders.join('|')})/`;

/** `folder` imports from nothing of ours but itself and `allowed`. */
function only(folder, allowed, comment, except = []) {
  return {
    name: `${folder}-imports`,
    severity: 'error',
    comment,
    from: { path: `^${folder}/`, pathNot: [...TESTS, ...except] },
    to: { path: inFolders(FOLDERS), pathNot: [`^${folder}/`, ...allowed] },
  };
}

function areasBefore(row, at) {
  const known = AREAS.slice(0, at).flat();
  return row.map((area) => ({
    name: `core-${area}-imports`,
    severity: 'error',
    comment: 'An area of core/ imports only from areas before its own: hand a function in, or move what both need to the front.',
    from: { path: `^core/${area}/`, pathNot: TESTS },
    to: { path: '^core/', pathNot: `^core/(${[...known, area].join('|')})/` },
  }));
}

export default {
  forbidden: [
    only('contract', [], 'Everyone imports the contract: what it needs belongs into it.'),
    {
      name: 'contract-packages',
      severity: 'error',
      comment: 'The contract runs in a browser: it imports zod and a few packages that hold a standard, and what needs node:crypto stands in contract/crypto/.',
      from: { path: '^contract/', pathNot: ['^contract/crypto/', ...TESTS] },
      to: {
        pathNot: [
          inFolders(FOLDERS.filter((folder) => folder !== 'contract')),
          '^contract/(?!crypto/)',
          '^node_modules/(zod|croner|ipaddr\\.js|eventsource-parser|ignore|semver|smol-toml|@renovatebot/pep440)/',
        ],
      },
    },
    {
      name: 'contract-crypto-packages',
      severity: 'error',
      comment: 'contract/crypto/ imports zod and node:crypto, and no other package.',
      from: { path: '^contract/crypto/', pathNot: TESTS },
      to: { pathNot: [inFolders(FOLDERS), '^node_modules/zod/', '^crypto$'] },
    },
    only('core', ['^contract/', '^db/', '^drivers/'], 'core/ imports contract, db and drivers.', PROJECTS),
    {
      name: 'recipe-projects',
      severity: 'error',
      comment: 'Files of a recipe that are copied into projects import only the SDK and each other.',
      from: { path: PROJECTS },
      to: { path: inFolders(FOLDERS), pathNot: ['^sdk/', ...PROJECTS] },
    },
    ...AREAS.flatMap(areasBefore),
    {
      name: 'core-areas',
      severity: 'error',
      comment: 'A new area of core/ takes its place in the order: AREAS in .dependency-cruiser.mjs.',
      from: { path: '^core/', pathNot: [`^core/(${AREAS.flat().join('|')})/`, '^core/followers\\.ts$', ...TESTS] },
      to: {},
    },
    only('db', ['^contract/states\\.ts$'], 'db/ knows tables, not the domain: of the contract it takes the words of states.'),
    only('drivers', ['^contract/'], 'Drivers are ports to the outside: they import the contract.'),
    only(
      'host',
      ['^contract/', '^drivers/', '^sdk/'],
      "host/ is a program of its own: the contract, drivers' ports and what their clients share with it, the SDK for its images.",
    ),
    {
      name: 'host-is-a-program',
      severity: 'error',
      comment: 'Only what starts programs imports host/: everyone else speaks to its socket through drivers/.',
      from: { pathNot: ['^(host|stack|bench|test)/', ...TESTS] },
      to: { path: '^host/' },
    },
    only('imports', ['^contract/', '^core/', '^drivers/', '^sdk/'], 'imports/ is a program of its own: core for what is kept, the SDK for its runtime.'),
    {
      name: 'imports-is-a-program',
      severity: 'error',
      comment: 'Only what starts programs imports imports/: everyone else calls its socket, as that of any agent.',
      from: { pathNot: ['^(imports|stack|bench|test)/', ...TESTS] },
      to: { path: '^imports/' },
    },
    only('api', ['^contract/', '^core/', '^drivers/'], 'api/ imports contract, core and drivers.'),
    only('workflows', ['^contract/', '^activities/'], 'Workflows are deterministic: types of activities and the contract.'),
    {
      name: 'workflows-take-types',
      severity: 'error',
      comment: 'The code of activities does not run in a workflow: import their types.',
      from: { path: '^workflows/', pathNot: TESTS },
      to: { path: '^activities/', dependencyTypesNot: ['type-only'] },
    },
    only('activities', ['^contract/', '^core/', '^drivers/'], 'activities/ is thin over core and drivers.'),
    only(
      'worker',
      [
        '^workflows/',
        '^activities/',
        '^core/kernel/',
        '^core/[^/]+/index\\.ts$',
        '^core/followers\\.ts$',
        '^drivers/open\\.ts$',
        '^drivers/[^/]+/environment\\.ts$',
        '^drivers/log/',
        '^drivers/workflows/(?:codec|versions)\\.ts$',
      ],
      "worker/ imports workflows, activities, the indexes of core's areas, what opens drivers and the versions of workflows: name it in the index of its area.",
    ),
    only('cli', ['^contract/', '^sdk/'], 'cli/ talks to the platform through the contract and the SDK.'),
    only('web', ['^contract/'], 'web/ talks to the platform only through the contract.'),
    {
      name: 'web-parts',
      severity: 'error',
      comment: 'What pages are made of does not know the pages: kit/, api/, form/ and session/ import no area.',
      from: { path: '^web/(kit|api|form|session)/', pathNot: TESTS },
      to: { path: '^web/', pathNot: '^web/(kit|api|form|session)/' },
    },
    {
      name: 'web-shell',
      severity: 'error',
      comment: 'The frame, the menu and the router stand on the pages: only what starts the dashboard imports shell/.',
      from: { path: '^web/', pathNot: ['^web/(shell|server|build)/', '^web/(main|begin)\\.tsx?$', ...TESTS] },
      to: { path: '^web/shell/' },
    },
    ...PAGES.slice(0, -1).map((area, at) => ({
      name: `web-${area}`,
      severity: 'error',
      comment: `Pages of ${area} import those of areas before it (PAGES in .dependency-cruiser.mjs).`,
      from: { path: `^web/${area}/`, pathNot: ['^web/[^/]+/pages\\.ts$', '^web/[^/]+/[^/]+/pages\\.ts$', ...TESTS] },
      to: { path: `^web/(${PAGES.slice(at + 1).join('|')})/` },
    })),
    only('sdk', ['^contract/'], 'sdk/ imports the contract and itself: it is shipped.'),
    only('examples', ['^sdk/'], 'Examples import the SDK, as an author does.'),
    only('docs/samples', ['^sdk/'], 'Samples import the SDK, as an author does.'),
    {
      name: 'known-targets',
      severity: 'error',
      comment: 'No rule applies to an import that leads nowhere.',
      from: {},
      to: { path: '^[#.]', couldNotResolve: true },
    },
    {
      name: 'no-climbing',
      severity: 'error',
      comment: 'An import that leaves its top-level folder is written #folder/…',
      from: { path: '^([^/]+)/', pathNot: ['^(sdk|examples)/', '^docs/samples/', ...PROJECTS] },
      to: { path: inFolders(FOLDERS), pathNot: '^$1/', dependencyTypesNot: ['aliased'] },
    },
  ],
  options: {
    // The compiler of our TypeScript has no interface that dependency-cruiser could use.
    parser: 'swc',
    // Circles and who uses what belong to no rule here, and take half of the time.
    skipAnalysisNotInRules: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(node_modules/(?!(zod|ipaddr\\.js)/)|dist|templates|\\.svc|\\.git|\\.reporter-\\w+)(/|$)' },
  },
};
