/** Details of the interface: file pickers, dialogs and focus, names of delivered files, lists that can be paused. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { png } from '../harness/files.ts';
import { some } from '../harness/thoroughness.ts';
import { type OrderStage, openOrderStage, stageOrder } from './order-stage.ts';

let stage: OrderStage;
let browser: TestBrowser;
before(async () => {
  [stage, browser] = await Promise.all([openOrderStage(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await stage?.market.close();
});

const focused = 'document.activeElement?.textContent ?? ""';

test('the file picker works by keyboard, lists files by name and size, and removes them', async (t) => {
  const order = await stageOrder(stage, 'in_progress');
  const { page, visit, shoot, requireAccessible } = await browser.newPage(t, {
    url: stage.market.url,
    cookies: [stage.cookies.provider],
    size: 'phone',
    theme: 'dark',
  });
  await visit(`/orders/${order}`);
  const field = page.getByLabel('Files');
  await page.getByText('Choose files').waitFor();
  await field.focus();
  assert.notEqual(await page.locator('.file-drop .button').evaluate('(button) => getComputedStyle(button).outlineStyle'), 'none');
  const chooser = page.waitForEvent('filechooser');
  await page.getByText('Choose files').click();
  await (await chooser).setFiles([
    { name: 'cohorts.png', mimeType: 'image/png', buffer: png(200, 100) },
    { name: 'table.csv', mimeType: 'text/csv', buffer: Buffer.from('cohort,users\n22 Sep,1204\n') },
  ]);
  const row = page.getByRole('listitem').filter({ hasText: 'table.csv' });
  await row.getByText('text, 25 B').waitFor();
  await shoot('chosen');
  await requireAccessible();
  await page.getByRole('button', { name: 'Remove table.csv' }).click();
  await row.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Deliver', exact: true }).waitFor();
});

test('a dialog takes the focus, closes by Escape and by Back, and returns the focus to its button', async (t) => {
  const order = await stageOrder(stage, 'delivered');
  const { page, visit, tabTo } = await browser.newPage(t, { url: stage.market.url, cookies: [stage.cookies.buyer] });
  await visit(`/orders/${order}`);
  const dialog = page.getByRole('dialog');
  for (const leave of ['Escape', 'Back']) {
    await tabTo('button', 'Ask for a revision');
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    assert.equal(await page.evaluate('document.activeElement?.closest("dialog") !== null'), true, 'the focus is in the dialog');
    if (leave === 'Escape') await page.keyboard.press('Escape');
    else await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(focused), 'Ask for a revision', `after ${leave}`);
  }
});

test('a delivered file keeps its name; its preview becomes the original when the buyer accepts', async (t) => {
  const order = await stageOrder(stage, 'delivered');
  const { page, visit, shoot } = await browser.newPage(t, { url: stage.market.url, cookies: [stage.cookies.buyer] });
  await visit(`/orders/${order}`);
  await page.getByText('Preview, reduced and marked. The original opens when you accept.').waitFor();
  await page.getByRole('link', { name: 'Download cohort-table.csv' }).waitFor();
  await page.getByRole('button', { name: /^Accept and release/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Accept and release/ })
    .click();
  await page.getByRole('heading', { name: 'Completed' }).waitFor();
  await page.locator('.name', { hasText: 'cohorts.png' }).waitFor();
  const coming = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download cohorts.png' }).click();
  assert.equal((await coming).suggestedFilename(), 'cohorts.png');
  assert.equal(await page.getByRole('link', { name: 'Download cohort-table.csv' }).count(), 1);
  await shoot('accepted');
});

test('the live list on the home page can be paused', async (t) => {
  await stageOrder(stage, 'paid');
  const { page, visit } = await browser.newPage(t, { url: stage.market.url });
  await visit('/');
  await page.getByRole('button', { name: 'Pause updates' }).click();
  await page.getByRole('button', { name: 'Resume updates' }).waitFor();
});

for (const theme of some(['dark', 'light'] as const, 1))
  test(`the sandbox's sign-in page uses our typeface and colours and is accessible (${theme})`, async (t) => {
    const other = theme === 'light' ? 'dark' : 'light';
    // The theme chosen on the site, against the system's.
    const cookies = [`theme=${theme}`];
    const { page, visit, shoot, requireAccessible } = await browser.newPage(t, {
      url: stage.market.url,
      size: 'phone',
      theme: other,
      cookies,
    });
    await visit('/sign-in');
    await page.getByRole('button', { name: 'Sign in with an account' }).click();
    await page.getByRole('heading', { name: /^Sign in to/ }).waitFor();
    const seen = await page.evaluate(`document.fonts.ready.then(() => ({
      loaded: [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family.replaceAll('"', '')),
      family: getComputedStyle(document.body).fontFamily.split(',')[0].replaceAll('"', ''),
      ground: getComputedStyle(document.body).backgroundColor,
    }))`);
    assert.deepEqual(seen, {
      loaded: ['Schibsted Grotesk Variable', 'Spline Sans Mono Variable'],
      family: 'Schibsted Grotesk Variable',
      ground: theme === 'light' ? 'rgb(242, 245, 239)' : 'rgb(13, 20, 17)',
    });
    await requireAccessible();
    await shoot(theme);
  });
