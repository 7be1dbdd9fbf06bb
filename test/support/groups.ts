// The groups of tests, by the file's name, and what each may take.

export interface GroupOfTests {
  /** Seconds of all its files together on two idle cores. In CI, half as much again fails the run. */
  budgetSeconds: number;
  /** Seconds of one file, where `longFiles` does not name it. */
  usualSeconds: number;
}

export const groups: Readonly<Record<string, GroupOfTests>> = {
  /** x.test.ts: alone or with its own database. */
  unit: { budgetSeconds: 1_300, usualSeconds: 2 },
  /** x.parts.test.ts: starts programs, needs the Temporal server, or takes seconds by itself. */
  parts: { budgetSeconds: 3_250, usualSeconds: 12 },
  /** x.vm.test.ts: boots microVMs. */
  machine: { budgetSeconds: 2_500, usualSeconds: 40 },
  /** test/e2e/: the whole stack. */
  e2e: { budgetSeconds: 1_700, usualSeconds: 60 },
};

/** Files that take much longer than is usual in their group, in seconds. They start first. */
export const longFiles: Readonly<Record<string, number>> = {
  'python.vm': 390,
  'compiled.vm': 270,
  demo: 285,
  'first-call': 180,
  'host.vm': 150,
  'blocking.vm': 125,
  'box.vm': 120,
  studio: 400,
  durable: 120,
  // Every page of the dashboard in four looks; what its pages do.
  'pages.parts': 400,
  dashboard: 150,
  // Ten recipes, each with two briefs.
  'recipes.parts': 100,
  'registry.parts': 60,
  'owner.parts': 50,
  'evidence.parts': 50,
  'build.vm': 160,
  'durable.vm': 105,
  'list-plans': 10,
  // Frameworks of others are installed the first time.
  'python-adapters': 150,
  langgraph: 40,
  mastra: 40,
  'ai-sdk': 40,
  'openai-agents': 40,
  'google-adk': 40,
};

/** Files that may skip a test in CI, by the end of their path, with the reason: the machine decides which of their tests run. */
export const maySkip: Readonly<Record<string, string>> = {
  'qemu/uid.test.ts': 'One half is for root, the other half for all other users.',
  'host/cpu.test.ts': 'Where this user has no control groups, there is no limit to measure.',
};
