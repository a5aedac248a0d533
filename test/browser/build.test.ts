/** The developer console in a real browser: registering, keys, endpoint, delivery log and event tail, by account and by wallet. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { type BrowserPage, openBrowser, type PageOptions, type TestBrowser } from '../harness/browser.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { listService } from '../harness/orders.ts';
import { tokenFor } from '../harness/people.ts';
import { openReceiver, type Receiver } from '../harness/receiver.ts';
import { requireSigned } from '../webhooks/verify.ts';

let market: TestMarket;
let browser: TestBrowser;
before(async () => {
  [market, browser] = await Promise.all([openMarket({ OUTBOUND_ALLOW: '127.0.0.1' }), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await market?.close();
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name });
/** A row of the log in this state; the filter has the same words, too. */
const inState = (page: Page, words: string) => page.locator('.plain-state').filter({ hasText: words });
const works = async (key: string): Promise<boolean> => (await call(market.url, 'GET /api/agents/me', { key })).status === 200;

interface Owned {
  readonly agent: TestAgent;
  readonly token: string;
  readonly cookie: string;
}

let owners = 0;
/** A person with an account and one agent. */
async function openOwner(): Promise<Owned> {
  owners += 1;
  const token = await tokenFor(market.url, { email: `builder${owners}@example.com` });
  await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
  return { agent: await registerAgent(market.url, {}, { key: token }), token, cookie: `idp-token=${token}` };
}

async function open(t: TestContext, { cookie }: Owned, path: string, options: Partial<PageOptions> = {}): Promise<BrowserPage> {
  const opened = await browser.newPage(t, { url: market.url, cookies: [cookie], ...options });
  await opened.visit(path);
  return opened;
}

async function receive(t: TestContext): Promise<Receiver> {
  const receiver = await openReceiver((response) => void response.end('thanks'));
  t.after(receiver.close);
  return receiver;
}

/** The value under this name in the box that shows secrets once. */
async function readSecret(page: Page, name: string): Promise<string> {
  const row = page.locator('.once > div').filter({ hasText: name });
  return (await row.locator('dd').first().textContent()) ?? '';
}

async function requireForgotten(page: Page, secret: string): Promise<void> {
  assert.ok(secret.length > 20, secret);
  const kept = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
  assert.equal(kept.includes(secret), false, 'the browser stored it');
  assert.equal((await page.content()).includes(secret), false, 'the page still shows it');
}

test('a visitor signs in by wallet, registers an agent and gets a key that is shown once and rotated by signature', async (t) => {
  const visitor = await browser.newPage(t, { url: market.url });
  const { page } = visitor;
  await visitor.visit('/build');
  await page.getByText('Sign in to see your agents').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Register an agent' }).last().click();
  await page.getByRole('radio', { name: /Test wallet.*Base/ }).check();
  await button(page, 'Sign in with this wallet').click();
  await page.getByText(/^Your wallet/).waitFor();
  await button(page, 'Register the agent').click();
  await page.getByText('A name has 3 to 40 characters. This one has 0.').waitFor();
  await visitor.requireAccessible();
  await page.getByLabel('Name').fill('Tallyrook');
  await page.getByText('/agents/tallyrook').waitFor();
  await page.getByLabel('What it does').fill('Reconciles ledgers and explains every difference.');
  await page.getByLabel('Analytics').check();
  await visitor.shoot('register');
  await button(page, 'Register the agent').click();
  await heading(page, 'Tallyrook is registered').waitFor();
  const key = await readSecret(page, 'API key');
  assert.equal(await works(key), true);
  await page.getByText('Store it first. This page cannot show it again.').waitFor();
  await visitor.requireAccessible();
  await visitor.shoot('key');
  await page.getByLabel('I have stored it').check();
  await button(page, 'Go on').click();
  await heading(page, 'Tallyrook is ready').waitFor();
  await requireForgotten(page, key);
  await page.reload();
  await heading(page, 'Register an agent').waitFor();
  await requireForgotten(page, key);

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText(/^Answering: seen/).waitFor();
  await page.getByRole('link', { name: 'Tallyrook', exact: true }).click();
  await button(page, 'Replace the key').click();
  const dialog = page.getByRole('dialog', { name: 'Replace the API key' });
  await dialog.getByText(/stops working at once/).waitFor();
  await dialog.getByRole('radio', { name: /Test wallet.*Solana/ }).check();
  await dialog.getByRole('button', { name: 'Sign: Replace the key now' }).click();
  await dialog.getByText(/0x\S+ must sign/).waitFor();
  await dialog.getByRole('radio', { name: /Test wallet.*Base/ }).check();
  await dialog.getByRole('button', { name: 'Sign: Replace the key now' }).click();
  await heading(page, 'The new API key').waitFor();
  const fresh = await readSecret(page, 'API key');
  assert.deepEqual([await works(key), await works(fresh)], [false, true]);
});

test('registering with a taken name or invalid fields shows each error beside its field', async (t) => {
  const owner = await openOwner();
  const { page } = await open(t, owner, '/build/register', { size: 'phone', allow: [/^40[09] POST .api.agents.register/] });
  await page.getByLabel('Name').fill(owner.agent.name.toUpperCase());
  await page.getByText('Another agent has this name. Choose another.').waitFor();
  // Only the API recognises a look-alike.
  await page.getByLabel('Name').fill(owner.agent.name.replaceAll(' ', '-'));
  await page.getByLabel('What it does').fill('Tries to look like somebody else.');
  await button(page, 'Register the agent').click();
  await page.getByText(/Another active agent is called/).waitFor();
  await page.getByLabel('Name').fill('Quite Another One');
  await page.getByLabel('Endpoint').fill('https://169.254.169.254/latest');
  await button(page, 'Register the agent').click();
  await page.getByText(/endpoint_url was refused\./).waitFor();
});

test('on a phone in the dark theme a private webhook address is refused, a public one gets signed pings, which are logged', async (t) => {
  const owner = await openOwner();
  const receiver = await receive(t);
  const visitor = await open(t, owner, `/build/agents/${owner.agent.slug}`, {
    size: 'phone',
    theme: 'dark',
    allow: [/^400 PATCH .api.agents/],
  });
  const { page } = visitor;
  await page.getByText('Set an endpoint first.').first().waitFor();
  await page.getByLabel('Address').fill('https://10.0.0.1/hook');
  await button(page, 'Save').click();
  await page.getByText(/endpoint_url was refused\..*private/).waitFor();
  await visitor.shoot('refused');
  await page.getByLabel('Address').fill(`${receiver.url}/hook`);
  await button(page, 'Save').click();
  await heading(page, 'The webhook secret').waitFor();
  const secret = await readSecret(page, 'Webhook secret');
  await visitor.requireAccessible();
  await page.getByLabel('I have stored it').check();
  await button(page, 'Done').click();
  await requireForgotten(page, secret);
  await page.getByText(/nothing was sent there yet/).waitFor();
  await page.getByLabel(/^Go on more slowly/).click();
  await page.getByText('Slow retries are on.').first().waitFor();
  await page.getByRole('checkbox', { name: /^Go on more slowly/, checked: true }).waitFor();
  await visitor.requireAccessible();
  await visitor.shoot('keys');

  await button(page, 'Send a ping').click();
  await page.waitForURL(/\/deliveries\?open=/);
  await inState(page, 'Delivered').waitFor();
  const [got] = receiver.received;
  assert.ok(got);
  requireSigned(got, secret);
  assert.equal(got.headers['x-market-event'], 'ping');
  await page.getByText('thanks').waitFor();
  await page.getByText(`X-Market-Delivery-Id: ${got.headers['x-market-delivery-id']}`).waitFor();
  await page.getByText(/answered 200 in \d+ ms/).waitFor();
  await visitor.requireAccessible();
  await visitor.shoot('deliveries');
});

test('failed webhook attempts are listed; after the receiver’s repair the same delivery is resent and arrives', async (t) => {
  const owner = await openOwner();
  const receiver = await receive(t);
  receiver.answer((response) => void response.writeHead(503).end('down for repairs'));
  await expectCall(market.url, 200, `PATCH /api/agents/${owner.agent.id}`, {
    key: owner.token,
    body: { endpoint_url: `${receiver.url}/hook` },
  });
  const visitor = await open(t, owner, `/build/agents/${owner.agent.slug}/deliveries`);
  const { page } = visitor;
  await page.getByText(/Send a ping to see how your server answers/).waitFor();
  await button(page, 'Send a ping').click();
  await inState(page, 'Tried again soon').waitFor();
  const attempts = page.getByRole('list', { name: 'Attempts' }).getByRole('listitem');
  await inState(page, 'Failed').waitFor();
  assert.equal(await attempts.count(), 3);
  await attempts.last().getByText('down for repairs').waitFor();
  await page
    .getByText(/gave up/)
    .first()
    .waitFor();
  await visitor.requireAccessible();
  await visitor.shoot('failed');

  receiver.answer((response) => void response.end('mended'));
  await button(page, 'Send again: ping').first().click();
  await inState(page, 'Delivered').waitFor();
  await attempts.last().getByText('mended').waitFor();
  assert.equal(await attempts.count(), 4);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-market-delivery-id'])).size, 1);

  await page.getByRole('combobox', { name: 'State' }).selectOption('Failed');
  await page.getByText('No delivery of the last 30 days is in this state.').waitFor();
  await page.getByRole('link', { name: 'Show every state' }).click();
  await page.getByRole('button', { name: 'ping', exact: true }).waitFor();
});

test('an account rotates an agent’s key and webhook secret: only the new key works, both secrets sign for a day', async (t) => {
  const owner = await openOwner();
  const receiver = await receive(t);
  const me = await expectCall(market.url, 200, `PATCH /api/agents/${owner.agent.id}`, {
    key: owner.token,
    body: { endpoint_url: `${receiver.url}/hook` },
  });
  const { page } = await open(t, owner, `/build/agents/${owner.agent.slug}`, { theme: 'dark' });
  await button(page, 'Replace the key').click();
  await button(page, 'Replace the key now').click();
  await heading(page, 'The new API key').waitFor();
  const fresh = await readSecret(page, 'API key');
  assert.deepEqual([await works(owner.agent.key), await works(fresh)], [false, true]);
  await page.getByLabel('I have stored it').check();
  await button(page, 'Done').click();
  await page.getByText(`market_...${fresh.slice(-4)}`).waitFor();

  await button(page, 'Replace the secret').click();
  await page.getByRole('radio', { name: '24 hours' }).waitFor();
  await button(page, 'Replace the secret now').click();
  await heading(page, 'The new webhook secret').waitFor();
  const secret = await readSecret(page, 'Webhook secret');
  await page.getByLabel('I have stored it').check();
  await button(page, 'Done').click();
  await page.getByText(/^Two signatures until/).waitFor();
  await button(page, 'Send a ping').click();
  await inState(page, 'Delivered').waitFor();
  const [got] = receiver.received;
  assert.ok(got);
  requireSigned(got, secret, me['webhook_secret']);
});

test('the event tail is live, can be paused, and can start at a number or filter by type', async (t) => {
  const owner = await openOwner();
  const { agent } = owner;
  const provider = { id: agent.id, headers: { authorization: `Bearer ${agent.key}` } };
  const visitor = await open(t, owner, `/build/agents/${agent.slug}/events`);
  const { page } = visitor;
  const events = page.getByRole('list', { name: 'Events, newest first' }).getByRole('listitem');
  await page.getByText('Live: new events appear on top').waitFor();
  assert.equal(await events.count(), 1);
  await listService(market.url, provider);
  await events.filter({ hasText: 'service.created' }).waitFor();

  await button(page, 'Pause').click();
  await listService(market.url, provider);
  await page.getByText('Paused: 1 new event held back').waitFor();
  assert.equal(await events.count(), 2);
  await visitor.requireAccessible();
  await button(page, 'Go on').click();
  await events.nth(2).waitFor();
  assert.match((await events.first().textContent()) ?? '', /^3/);
  await visitor.shoot('tail');

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await button(page, 'Copy event 3 as JSON').click();
  await button(page, 'Copied event 3 as JSON').waitFor();
  const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()')) as { seq: number; event: string };
  assert.deepEqual([copied.seq, copied.event], [3, 'service.created']);

  await page.getByLabel('From after number').fill('2');
  await button(page, 'Show from there').click();
  await page.waitForURL(/after=2$/);
  await events.filter({ hasText: /^2/ }).waitFor({ state: 'detached' });
  await events.filter({ hasText: /^3/ }).waitFor();
  assert.equal(await events.count(), 1);
  await page.getByText(/stream\?after=2/).waitFor();
  await page.getByLabel('Only').selectOption('agent.updated');
  await page.getByText('No such event among these.').waitFor();
  await expectCall(market.url, 200, `PATCH /api/agents/${agent.id}`, { key: owner.token, body: { ai_models: ['llama-4'] } });
  await events.filter({ hasText: 'agent.updated' }).waitFor();
});

test('another owner’s agent is not shown, an invalid event number is explained, and an agent can be selected', async (t) => {
  const [owner, other] = [await openOwner(), await openOwner()];
  const second = await registerAgent(market.url, {}, { key: owner.token });
  const visitor = await open(t, owner, `/build/agents/${other.agent.slug}`, { size: 'phone', allow: [/^400 GET .api.events/] });
  const { page } = visitor;
  await page.getByText('You own no agent of this name.').waitFor();
  await page.getByRole('link', { name: 'Your agents' }).click();
  await page.getByRole('link', { name: `Events of ${owner.agent.name}` }).click();
  await page.getByRole('combobox', { name: 'Agent' }).selectOption(second.name);
  await page.waitForURL(new RegExp(`/build/agents/${second.slug}/events`));
  await heading(page, second.name).waitFor();
  await page.getByLabel('From after number').fill('99');
  await button(page, 'Show from there').click();
  await page.getByText('The last event of this agent has the number 1.').waitFor();
  await visitor.requireAccessible();
});
