// Every component of the kit, by its file, with the states in which it is looked at. gallery.test.ts fails
// when a file has none.
import { action } from './of/action.tsx';
import { advice } from './of/advice.tsx';
import { agentIcon } from './of/agent-icon.tsx';
import { code } from './of/code.tsx';
import { copy } from './of/copy.tsx';
import { failure } from './of/failure.tsx';
import { firstFew } from './of/first-few.tsx';
import { hints } from './of/hints.tsx';
import { inTerminal } from './of/in-terminal.tsx';
import { issueList } from './of/issue-list.tsx';
import { list } from './of/list.tsx';
import { longText } from './of/long-text.tsx';
import { markdown } from './of/markdown.tsx';
import { markdownView } from './of/markdown-view.tsx';
import { opens } from './of/opens.tsx';
import { opensBox } from './of/opens-box.tsx';
import { opensMenu } from './of/opens-menu.tsx';
import { page } from './of/page.tsx';
import { pageLink } from './of/page-link.tsx';
import { preview } from './of/preview.tsx';
import { previewRows } from './of/preview-rows.tsx';
import { previewView } from './of/preview-view.tsx';
import { question } from './of/question.tsx';
import { ssoWay } from './of/sso-way.tsx';
import { state } from './of/state.tsx';
import { subpages } from './of/subpages.tsx';
import { timeZone } from './of/time-zone.tsx';
import { toasts } from './of/toasts.tsx';
import { when } from './of/when.tsx';
import type { States } from './states.ts';

export const ENTRIES: Readonly<Record<string, States>> = {
  'action.tsx': action,
  'advice.tsx': advice,
  'agent-icon.tsx': agentIcon,
  'code.tsx': code,
  'copy.tsx': copy,
  'failure.tsx': failure,
  'first-few.tsx': firstFew,
  'hints.tsx': hints,
  'in-terminal.tsx': inTerminal,
  'issue-list.tsx': issueList,
  'list.tsx': list,
  'long-text.tsx': longText,
  'markdown.tsx': markdown,
  'markdown-view.tsx': markdownView,
  'opens.tsx': opens,
  'opens-box.tsx': opensBox,
  'opens-menu.tsx': opensMenu,
  'page.tsx': page,
  'page-link.tsx': pageLink,
  'preview.tsx': preview,
  'preview/rows.tsx': previewRows,
  'preview/view.tsx': previewView,
  'question.tsx': question,
  'sso-way.tsx': ssoWay,
  'state.tsx': state,
  'subpages.tsx': subpages,
  'time-zone.tsx': timeZone,
  'toasts.tsx': toasts,
  'when.tsx': when,
};
