// The registry of parts, and where they are to be found this time.
import type { Addresses } from '../environment.ts';
import type { Part } from '../part.ts';
import { isFree, knownPort, portTaken, rememberedPort } from '../ports.ts';
import { prepareCluster, runningServer } from '../postgres.ts';
import { isAlive } from '../process.ts';
import { readRecord } from '../records.ts';
import { places, type Settings } from '../settings.ts';
import { devServerValues } from '../temporal.ts';
import { platformParts, SET_CURRENT } from './platform.ts';
import { backupParts } from './backup.ts';
import { clusterOptions, postgresPart } from './postgres.ts';
import { temporalPart } from './temporal.ts';
import { temporalUiPart } from './temporal-ui.ts';

export function allParts(settings: Settings, addresses: Addresses): Part[] {
  const parts = [
    postgresPart(settings, addresses.databaseUrl),
    temporalPart(settings, addresses),
    temporalUiPart(settings, addresses),
    ...platformParts(settings, addresses),
    ...backupParts(settings),
  ];
  const { SVC_PARTS: wanted } = settings;
  const unknown = wanted?.filter((name) => !parts.some((part) => part.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`SVC_PARTS names no part of ours: ${unknown.join(', ')}. There are: ${parts.map(({ name }) => name).join(', ')}`);
  const isWanted = (name: string): boolean => wanted === undefined || wanted.includes(name === SET_CURRENT ? 'worker' : name);
  return parts.map((part) => (isWanted(part.name) ? part : { name: part.name, after: part.after, kind: 'skipped', note: 'not among SVC_PARTS' }));
}

/** Chooses ports (last time's again where possible) and makes the database cluster if there is none. */
export async function chooseAddresses(settings: Settings): Promise<Addresses> {
  const temporal = await ourTemporal(settings); // first: a taken port is reported before a cluster is made
  return { databaseUrl: settings.DATABASE_URL ?? (await ourDatabase(settings)), ...temporal };
}

/** What chooseAddresses chose last time, for those who only stop or look; nothing is made. */
export function lastAddresses(settings: Settings): Addresses {
  const { ports } = places(settings.stateDir);
  return {
    databaseUrl: settings.DATABASE_URL ?? `postgres://127.0.0.1:${knownPort(ports, 'postgres') ?? 0}/svc`,
    ...lastTemporal(settings),
  };
}

type TemporalAddresses = Omit<Addresses, 'databaseUrl'>;

function lastTemporal(settings: Settings): TemporalAddresses {
  if (settings.TEMPORAL_ADDRESS !== undefined) return { temporalAddress: settings.TEMPORAL_ADDRESS };
  const port = (name: string) => knownPort(places(settings.stateDir).ports, name) ?? 0;
  return { temporalAddress: `127.0.0.1:${port('temporal')}`, temporalUi: { port: port('temporal-ui'), serverPort: port('temporal-ui-server') } };
}

async function ourDatabase(settings: Settings): Promise<string> {
  const { ports, postgres } = places(settings.stateDir);
  const running = runningServer(postgres);
  if (!running) await rememberedPort(ports, 'postgres');
  return (await prepareCluster(running ? { ...clusterOptions(settings), port: running.port } : clusterOptions(settings))).url;
}

async function ourTemporal(settings: Settings): Promise<TemporalAddresses> {
  if (settings.TEMPORAL_ADDRESS !== undefined) return { temporalAddress: settings.TEMPORAL_ADDRESS };
  const { ports, run } = places(settings.stateDir);
  const runs = (part: string): boolean => {
    const record = readRecord(run, part)?.process;
    return record !== undefined && isAlive(record);
  };
  if (runs('temporal')) return lastTemporal(settings);
  const grpc = await temporalPort('temporal', settings.SVC_TEMPORAL_PORT, '--port', 'SVC_TEMPORAL_PORT', ports);
  // A running one is adopted, with the port it has.
  const runningPort = runs('temporal-ui') ? knownPort(ports, 'temporal-ui') : undefined;
  const ui = runningPort ?? (await temporalPort('temporal-ui', settings.SVC_TEMPORAL_UI_PORT, '--ui-port', 'SVC_TEMPORAL_UI_PORT', ports));
  const serverPort = await rememberedPort(ports, 'temporal-ui-server');
  return { temporalAddress: `127.0.0.1:${grpc}`, temporalUi: { port: ui, serverPort } };
}

/** The user's choice must be free; otherwise temporal-dev.yml's port is preferred, and any other will do. */
async function temporalPort(name: string, chosen: number | undefined, flag: string, variable: string, ports: string): Promise<number> {
  if (chosen !== undefined && !(await isFree(chosen))) throw new Error(portTaken(chosen, variable));
  return rememberedPort(ports, name, chosen ?? Number(devServerValues(flag)[0]));
}
