// langgraph.json, by which LangSmith and the langgraph tool find an application's graphs: it names the one
// that callers talk to, however the graph is written.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { z } from 'zod';
import { parseJsonFile } from './json.ts';
import { ProjectError } from './problem.ts';

const LANGGRAPH_FILE = 'langgraph.json';
/** `./src/agent/graph.py:graph`, or an object with such a `path`. */
const Place = z.string().or(z.looseObject({ path: z.string() }).transform(({ path }) => path));
const Graphs = z.looseObject({ graphs: z.record(z.string(), Place) });

interface NamedGraph {
  /** Relative to the project. */
  file: string;
  name: string;
}

/** Undefined: the project has no such file. @throws ProjectError when it does not name one graph */
export async function graphOf(folder: string): Promise<NamedGraph | undefined> {
  const file = join(folder, LANGGRAPH_FILE);
  if (!existsSync(file)) return undefined;
  const graphs = Graphs.safeParse(parseJsonFile(file, await readFile(file, 'utf8')));
  const [first, ...others] = graphs.success ? Object.entries(graphs.data.graphs) : [];
  if (!first) throw new ProjectError([{ file, message: 'names no graph: {"graphs": {"agent": "./graph.py:graph"}}' }]);
  if (others.length > 0) {
    const names = [first, ...others].map(([name]) => name).join(', ');
    throw new ProjectError([
      { file, message: `has several graphs: ${names}. An agent has one: keep it in the file, and make another project of each other one` },
    ]);
  }
  const [, path = '', name = ''] = /^(.+):(\w+)$/.exec(first[1]) ?? [];
  if (!existsSync(join(folder, path)) || name === '') throw new ProjectError([{ file, message: `"${first[1]}" is no file and graph, as ./graph.py:graph` }]);
  return { file: normalize(path), name };
}
