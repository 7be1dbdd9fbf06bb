// The ten jobs that people come for, each performed from Home by the words on the page. A test counts their
// clicks: those of the pointer. Fields are reached by the Tab key.
import type { Page } from 'playwright-core';

export interface JobFacts {
  /** One of the reader's, which is live and was deployed twice. */
  agent: string;
  /** What the author of the agent that failed wrote. */
  failure: string;
  /** A question that waits, and one of its answers. */
  question: string;
  answer: string;
  /** A file at the top. */
  file: string;
  organization: string;
  receipt: string;
}

export interface Job {
  name: string;
  perform(page: Page, facts: JobFacts): Promise<void>;
}

const main = (page: Page) => page.getByRole('main');
const link = (page: Page, name: string) => main(page).getByRole('link', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** On Home. */
const mine = (page: Page, agent: string) => page.getByRole('table', { name: 'My agents' }).getByRole('link', { name: agent, exact: true });
const menu = (page: Page, name: string) => page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name, exact: true });

export const JOBS: readonly Job[] = [
  {
    name: 'Find why a run failed',
    async perform(page, { failure }) {
      await page.getByRole('region', { name: 'Failed since yesterday' }).getByRole('link').first().click();
      await page.waitForURL(/\/runs\/run_/);
      await main(page).getByText(failure).first().waitFor();
    },
  },
  {
    name: 'Answer a question',
    async perform(page, { question, answer }) {
      const card = page.locator('[data-wait]').filter({ hasText: question }).first();
      await card.getByRole('button', { name: answer }).click();
      await page.getByText('Sent. The skill continues.').first().waitFor();
    },
  },
  {
    name: 'Share a file',
    async perform(page, { file, agent }) {
      await menu(page, 'Build').click();
      await menu(page, 'Files').click();
      await button(page, `Share ${file}`).click();
      const dialog = page.getByRole('dialog', { name: 'Share files with an agent' });
      await dialog.getByRole('combobox', { name: 'Agent' }).fill(agent);
      await page.keyboard.press('Tab');
      await dialog.getByRole('button', { name: 'Create grant' }).click();
      await page.getByText('The token is shown this once.').waitFor();
    },
  },
  {
    name: 'Set a price',
    async perform(page, { agent }) {
      await mine(page, agent).click();
      await link(page, 'Set a price').click();
      await page.getByRole('textbox', { name: 'A call' }).fill('0.02');
      await button(page, 'Set the price').click();
      await page.getByRole('table', { name: 'Prices', exact: true }).getByText('$0.02').first().waitFor();
    },
  },
  {
    name: 'Invite a person',
    async perform(page, { organization }) {
      await menu(page, 'Account').click();
      await menu(page, 'Organizations').click();
      await link(page, `Invite to ${organization}`).click();
      await page.getByLabel('E-mail address').fill('cleo@example.test');
      await button(page, 'Create invitation').click();
      await page.getByText('Give them this link').waitFor();
    },
  },
  {
    name: 'Roll an agent back',
    async perform(page, { agent }) {
      await mine(page, agent).click();
      await link(page, 'Roll back').click();
      await page
        .getByRole('row', { name: /0\.9\.0/ })
        .getByRole('button', { name: 'Roll back' })
        .click();
      await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
      await page.getByRole('heading', { name: /^Deployment \d+/ }).waitFor();
    },
  },
  {
    name: 'Add a secret',
    async perform(page, { agent }) {
      await mine(page, agent).click();
      await link(page, 'Add a secret').click();
      await page.getByLabel('Name').fill('HARBOUR_TOKEN');
      await page.getByLabel('Value').fill('a value of mine');
      await button(page, 'Save secret').click();
      await page.getByText('HARBOUR_TOKEN is set, version 1').waitFor();
    },
  },
  {
    name: 'Schedule a run',
    async perform(page, { agent }) {
      await mine(page, agent).click();
      await link(page, 'Schedule a run').click();
      await page.getByRole('textbox', { name: 'Title' }).fill('Each morning');
      await button(page, 'Create schedule').click();
      await page.getByRole('table', { name: 'Schedules' }).getByText('Each morning').waitFor();
    },
  },
  {
    name: 'Verify a receipt',
    async perform(page, { receipt }) {
      await menu(page, 'Runs').click();
      await menu(page, 'Check a receipt').click();
      await page.getByRole('textbox', { name: 'Receipt' }).fill(receipt);
      await page.getByText('The receipt holds.').first().waitFor();
    },
  },
  {
    name: 'Create an agent',
    async perform(page) {
      await link(page, 'Create an agent').first().click();
      await page.getByRole('region', { name: 'Create an agent' }).getByRole('textbox', { name: 'Name' }).fill('harbour-pilot');
      await button(page, 'Deploy').click();
      await page.waitForURL(/\/agents\/mine\/harbour-pilot\/deployments\/dep_/);
    },
  },
];
