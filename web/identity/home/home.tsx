import { Page } from '../../kit/page.tsx';

export function Home() {
  return <Page title="Home">soon</Page>;
}
