/** Notifications appear live, link to their subject, and can be marked read. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { untilHandled } from '../harness/events.ts';
import { act } from '../harness/orders.ts';
import { type OrderStage, openOrderStage, say, stageOrder } from './order-stage.ts';

/** Time for eight seconds of loss and the browser's own reconnection attempts, on a busy machine. */
const LOST_MS = 60_000;

suite('notifications', () => {
  let stage: OrderStage;
  let browser: TestBrowser;
  before(async () => {
    [stage, browser] = await Promise.all([openOrderStage(), openBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await stage?.market.close();
  });

  const open = (t: Parameters<TestBrowser['newPage']>[0], who: 'buyer' | 'provider', options = {}) =>
    browser.newPage(t, { url: stage.market.url, cookies: [stage.cookies[who]], ...options });

  test('a new message appears live, is counted in the header, opens its order and is then read', async (t) => {
    const order = await stageOrder(stage, 'in_progress');
    await untilHandled(stage.market.database.pool);
    const { page, visit, shoot, requireAccessible } = await open(t, 'buyer');
    await visit('/notifications');
    await page.getByRole('button', { name: 'Mark all read' }).click();
    await page.getByText('Everything is read.').waitFor();
    const counter = page.getByRole('link', { name: 'Notifications, 1 unread' });
    assert.equal(await counter.count(), 0);

    await say(stage, order, 'A question about <b>page 4</b>.');
    await counter.waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'A question about <b>page 4</b>.' });
    await row.getByText('Unread:').waitFor();
    await requireAccessible();
    await shoot('day');
    await row.getByRole('link').click();
    await page.waitForURL(`**/orders/${order}`);
    await counter.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Notifications', exact: true }).first().click();
    await row.waitFor();
    assert.equal(await row.getByText('Unread:').count(), 0);
  });

  test('on a phone in the dark theme the menu counts unread notifications; one and then all can be marked read', async (t) => {
    const order = await stageOrder(stage, 'delivered');
    const { page, visit, shoot, requireAccessible } = await open(t, 'provider', { size: 'phone', theme: 'dark' });
    assert.equal((await act(stage.market.url, order, stage.buyer, 'revision', { feedback: 'Two of five are missing.' })).status, 200);
    await untilHandled(stage.market.database.pool);
    await visit('/notifications?show=unread');
    const rows = page.getByRole('list', { name: 'Notifications' }).locator('> li');
    await rows.filter({ hasText: 'Two of five are missing.' }).waitFor();
    const before = await rows.count();
    assert.ok(before > 1);
    await requireAccessible();
    await shoot('night');
    await rows.filter({ hasText: 'Two of five are missing.' }).getByRole('button', { name: 'Mark read' }).click();
    await rows.filter({ hasText: 'Two of five are missing.' }).waitFor({ state: 'detached' });
    assert.equal(await rows.count(), before - 1);
    // Unpaid and small orders share one notification each.
    await rows.filter({ hasText: 'like this' }).first().waitFor();
    // One row stands for all notifications about its order, so the menu may count more than there are rows.
    const unread = await page.evaluate(async () => {
      const answer = await fetch('/api/notifications?unread=true&limit=1');
      return ((await answer.json()) as { unread_count: number }).unread_count;
    });
    assert.ok(unread >= before - 1);
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('link', { name: `Notifications ${unread} unread` }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Mark all read' }).click();
    await page.getByText('Nothing is unread.').waitFor();
  });

  test('a lost event stream is shown with its time, and the notice disappears on reconnection', async (t) => {
    const { page, visit } = await open(t, 'buyer', { allow: [/events\/stream/, /503/, /ERR_FAILED/] });
    let away = true;
    await page.route('**/api/events/stream', (route) => (away ? route.abort() : route.continue()));
    await visit('/notifications');
    await page.getByText(/^Live updates are away/).waitFor({ timeout: LOST_MS });
    await page.getByText(/^as of \d\d:\d\d:\d\d/).waitFor();
    away = false;
    await page.getByText(/^Live updates are away/).waitFor({ state: 'detached', timeout: LOST_MS });
  });
});
