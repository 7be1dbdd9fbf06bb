// Versions of agents: deployments and their processes, source, repairs and upgrades, health.
import { migrationOf } from '../parts.ts';
import { deployments } from './deploys/deployments.ts';
import { health } from './deploys/health.ts';
import { source } from './deploys/source.ts';
import { upkeep } from './deploys/upkeep.ts';

export const { up, down } = migrationOf(deployments, source, upkeep, health);
