import { IconActivity, IconHammer, IconHome, IconInbox, IconRobot, IconUserCircle } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Area } from './nav.ts';

export type Icon = ComponentType<{ size?: number | string; stroke?: number | string }>;

export const AREA_ICONS: Record<Area['id'], Icon> = {
  home: IconHome,
  agents: IconRobot,
  runs: IconActivity,
  inbox: IconInbox,
  build: IconHammer,
  account: IconUserCircle,
};
