// The groups of tests, by the file's name, and what each may take.

export interface GroupOfTests {
  /** Seconds of all its files together on two idle cores. In CI, half as much again fails the run; slow machines take 1.45 times as long. */
  budgetSeconds: number;
  /** Seconds of one file, where `longFiles` does not name it. */
  usualSeconds: number;
}

export const groups: Readonly<Record<string, GroupOfTests>> = {
  /** x.test.ts: alone or with its own database. */
  unit: { budgetSeconds: 1_200, usualSeconds: 2 },
  /** x.parts.test.ts: starts programs, needs the Temporal server, or takes seconds by itself. */
  parts: { budgetSeconds: 2_800, usualSeconds: 12 },
  /** x.vm.test.ts: boots microVMs. */
  machine: { budgetSeconds: 2_500, usualSeconds: 40 },
  /** test/e2e/: the whole stack. */
  e2e: { budgetSeconds: 1_700, usualSeconds: 60 },
};

/** Files that take much longer than is usual in their group, in seconds, by the end of their path. They start first. */
export const longFiles: Readonly<Record<string, number>> = {
  'e2e/studio': 300,
  // Every page of the dashboard in four looks.
  'dashboard/pages.parts': 280,
  'agents/python.vm': 340,
  'e2e/demo': 285,
  'agents/compiled.vm': 200,
  'e2e/first-call': 180,
  'build/build.vm': 160,
  'host/host.vm': 150,
  'e2e/dashboard': 150,
  'agents/blocking.vm': 125,
  'box/box.vm': 120,
  'e2e/durable': 120,
  'agents/durable.vm': 105,
  'languages/python.parts': 100,
  // Every page as it is opened.
  'dashboard/rendered.parts': 100,
  'dashboard/evidence.parts': 90,
  'workflows/run-skill-long.parts': 75,
  'stack/up.parts': 55,
  'weak-agents/weak-agents.parts': 70,
  'package/package.parts': 70,
  'release/install.parts': 75,
  'dashboard/registry.parts': 65,
  'dashboard/files.parts': 60,
  'image/build.parts': 60,
  'workflows/run-skill-stops.parts': 60,
  'project/author.parts': 60,
  'dashboard/owner.parts': 55,
  'purge/purge.parts': 55,
  'protocol-simulation/rehearsal.parts': 55,
  'dashboard/chat.parts': 55,
  'recipe/recipes.parts': 50,
  'api/list-plans': 10,
};

/** Files that may skip a test in CI, by the end of their path, with the reason: the machine decides which of their tests run. */
export const maySkip: Readonly<Record<string, string>> = {
  'qemu/uid.test.ts': 'One half is for root, the other half for all other users.',
  'host/cpu.test.ts': 'Where this user has no control groups, there is no limit to measure.',
};
