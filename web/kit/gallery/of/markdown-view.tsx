import { MarkdownView } from '../../markdown-view.tsx';
import type { States } from '../states.ts';

const ALL = `# Heading

A paragraph with *emphasis*, ~~deletion~~ and a [link](https://example.com).

> A quote

1. one
2. two

- [x] done
- [ ] open

| a | b |
|---|--:|
| 1 | 2 |

\`\`\`sh
svc deploy
\`\`\`

---
`;

export const markdownView: States = {
  'all that it shows': () => <MarkdownView text={ALL} />,
  'HTML is text': () => <MarkdownView text={'<b>not bold</b> <script>alert(1)</script>'} />,
  'longer than is shown at once': () => <MarkdownView text={'A paragraph of a very long text.\n\n'.repeat(5_000)} />,
};
