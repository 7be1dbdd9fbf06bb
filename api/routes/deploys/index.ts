// The handlers of this area's groups, each under its group's name.
import type { AreaHandlers } from '../../http/handlers.ts';
import { sourceEditorRoutes } from './source-editor.ts';

export const deploysArea = {
  sourceEditor: sourceEditorRoutes,
} satisfies AreaHandlers;
