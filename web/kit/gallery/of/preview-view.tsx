import { View } from '../../preview/view.tsx';
import type { States } from '../states.ts';

const DOT = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="18" fill="teal"/></svg>';

export const previewView: States = {
  empty: () => <View bytes={new Blob([])} shown={{ as: 'text' }} name="empty.txt" />,
  text: () => <View bytes={new Blob(['some text'])} shown={{ as: 'text' }} name="a.txt" />,
  'longer than is shown': () => <View bytes={new Blob(['word '.repeat(60_000)])} shown={{ as: 'text' }} name="long.txt" />,
  JSON: () => <View bytes={new Blob(['{"sum":3}'])} shown={{ as: 'json' }} name="a.json" />,
  Markdown: () => <View bytes={new Blob(['# Title'])} shown={{ as: 'markdown' }} name="a.md" />,
  'a table': () => <View bytes={new Blob(['a,b\n1,2\n'])} shown={{ as: 'table' }} name="a.csv" />,
  'the source of a page': () => <View bytes={new Blob(['<b>bold</b>'])} shown={{ as: 'source' }} name="a.html" />,
  'an image': () => <View bytes={new Blob([DOT], { type: 'image/svg+xml' })} shown={{ as: 'image', type: 'image/svg+xml' }} name="dot.svg" />,
  'a broken image': () => <View bytes={new Blob(['no image'])} shown={{ as: 'image', type: 'image/png' }} name="broken.png" />,
};
