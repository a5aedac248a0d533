/**
 * Strangers look people up: 10,000 reads of every operation that a stranger, another account and the other side of an order may call. The
 * identity provider knows the names of the people in this market.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type NamedOperation, type OperationName, operationList } from '@market/contract';
import { restBindingOf } from '../../packages/server/src/surfaces/rest-binding.ts';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { postBounty } from '../harness/bounties.ts';
import { call, expectCall } from '../harness/http.ts';
import { callInProcess } from '../harness/in-process.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { setOrderStatus } from '../harness/order-states.ts';
import { BRIEF, listService, openProvider, type Provider, placeOrder } from '../harness/orders.ts';
import { baseWallet, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';

const READS = 10_000;
/** Words that the identity provider knows. No answer to anybody else may hold them. */
const MARKERS = /quistgaard/i;

interface Person {
  readonly token: string;
  readonly id: string;
  readonly username: string;
  readonly wallets: readonly TestWallet[];
}

let market: TestMarket;
let seller: Provider;
let service: string;
let person: Person;
/** Ids of all that belongs to the person, by the name of the argument that takes them. */
const subjects: Record<string, string[]> = {};
let strangerToken: string;

before(async () => {
  market = await openMarket({ JOBS: 'off' });
  const { url } = market;
  seller = await openProvider(url);
  service = await listService(url, seller);
  strangerToken = await tokenFor(url, { email: 'stranger@example.com' });
  await expectCall(url, 200, 'POST /api/auth/user', { key: strangerToken });
  person = await openPerson();
  await leaveTraces();
});
after(() => market.close());

async function openPerson(): Promise<Person> {
  const wallets = [solanaWallet(), baseWallet()];
  const token = await tokenFor(market.url, {
    email: 'wilhelmina.quistgaard@example.com',
    name: 'Wilhelmina Quistgaard',
    twitter_username: 'wquistgaard',
    wallets: wallets.map(({ chain, address }) => ({ chain, address })),
  });
  const { user } = await expectCall(market.url, 200, 'POST /api/auth/user', { key: token });
  assert.match(JSON.stringify(user), MARKERS, 'the person itself reads what the provider knows');
  return { token, id: user.idp_user_id, username: user.username, wallets };
}

/** Makes agents, services, orders, messages, reviews and a bounty, by account and by wallet. */
async function leaveTraces(): Promise<void> {
  const { url } = market;
  const { token, wallets } = person;
  const [first] = wallets as [TestWallet];
  const agents = [await registerAgent(url, {}, { key: token }), await registerOwnedAgent(url, first)];
  const services: string[] = [];
  for (const agent of agents) services.push(await listService(url, { ...agent, headers: { authorization: `Bearer ${agent.key}` } }));
  const byAccount = await expectCall(url, 200, 'POST /api/orders', { key: token, body: { service_id: service, brief: BRIEF } });
  const byBoth = await expectCall(url, 200, 'POST /api/orders', {
    key: token,
    body: { service_id: service, brief: BRIEF, ...(await signed(first)) },
  });
  const orders: string[] = [byAccount['order_id'], byBoth['order_id'], await placeOrder(url, service, first)];
  await setOrderStatus(market, orders, 'in_progress');
  for (const id of orders)
    await expectCall(url, 200, `POST /api/orders/${id}/messages`, { key: token, body: { content: 'When will it come?' } });
  await setOrderStatus(market, orders, 'completed');
  for (const id of orders)
    await expectCall(url, 200, `POST /api/orders/${id}/review`, { key: token, body: { rating: 5, comment: 'Good.' } });
  const bounty = await postBounty(url, first);
  const claimed = await call(url, `POST /api/bounties/${bounty.id}/claim`, { key: seller.key, body: { message: 'I do this every week.' } });
  assert.equal(claimed.status, 201);
  Object.assign(subjects, {
    agents: [...agents.map(({ id }) => id), seller.id],
    services: [...services, service],
    orders,
    bounties: [bounty.id],
    wallets: wallets.map(({ address }) => address),
    usernames: [person.username, 'wquistgaard', person.id],
  });
}

/** Arguments that name the person, or a record of theirs. */
function* argumentsOf({ spec, name }: NamedOperation): Generator<Record<string, unknown>> {
  const given = (spec.examples[0]?.input ?? {}) as Record<string, unknown>;
  const names = [...Object.keys(spec.input?.path?.shape ?? {}), ...Object.keys(spec.input?.query?.shape ?? {})];
  const [noun] = name.split('.') as [string];
  const required = names.filter((field) => field in given || Object.keys(spec.input?.path?.shape ?? {}).includes(field));
  let isAny = false;
  for (const field of names) {
    for (const value of valuesFor(field, noun)) {
      isAny = true;
      yield { ...Object.fromEntries(required.map((other) => [other, valuesFor(other, noun)[0] ?? given[other]])), [field]: value };
    }
  }
  if (Object.keys(spec.input?.path?.shape ?? {}).length === 0) yield {};
  else if (!isAny) yield given;
}

function valuesFor(field: string, noun: string): readonly string[] {
  const { agents = [], services = [], orders = [], bounties = [], wallets = [], usernames = [] } = subjects;
  if (/wallet|address|owner|payer/.test(field)) return wallets;
  if (field === 'username' || field === 'u') return usernames;
  if (field === 'q' || field === 'search' || field === 'query') return ['quistgaard', ...wallets];
  if (/agent/.test(field)) return agents;
  if (/service/.test(field)) return services;
  if (/order/.test(field)) return orders;
  if (/bounty/.test(field)) return bounties;
  if (field === 'id') return { orders, services, bounties, messages: orders }[noun] ?? [...agents, ...services, ...orders, ...bounties];
  return [];
}

/** Whether the operation only reads, and touches no chain. */
function isRead({ spec, name }: NamedOperation): boolean {
  return spec.effects.kind === 'read' && spec.output.stream !== true && !name.startsWith('sandbox.');
}

test('Y01: 10,000 reads of strangers and of the other side reveal no name, e-mail, handle or wallet link of a person', async () => {
  const callers = [{}, { key: strangerToken }, { key: seller.key }];
  const answered = new Set<OperationName>();
  let reads = 0;
  const judge = (name: string, answer: unknown): void => {
    reads += 1;
    const text = JSON.stringify(answer) ?? '';
    assert.doesNotMatch(text, MARKERS, `${name} tells who the person is: ${text.slice(0, 400)}`);
    assert.ok(!text.includes(person.id), `${name} tells the id of the account`);
    const named = [person.username, ...person.wallets.map(({ address }) => address)].filter((word) => text.includes(word));
    assert.ok(!(named.includes(person.username) && named.length > 1), `${name} joins account and wallet: ${text.slice(0, 400)}`);
  };
  for (const operation of operationList.filter(isRead)) {
    for (const args of argumentsOf(operation)) {
      for (const caller of callers) {
        const { code, answer, refusal } = await callInProcess(market, operation.name, args, caller);
        if (code === 'ok') answered.add(operation.name);
        // A search repeats the query, which may be a name.
        judge(
          `${operation.name} ${JSON.stringify(args)}`,
          code === 'ok' ? { ...answer, data: withoutQuestion(answer['data']) } : refusal?.data,
        );
      }
    }
  }
  for (const name of [
    'profiles.get',
    'orders.get',
    'messages.list',
    'reviews.listOfAgent',
    'bounties.get',
    'agents.get',
    'events.list',
  ] as const)
    assert.ok(answered.has(name), `${name} was read`);
  const cheap = operationList.find(({ name }) => name === 'profiles.get') as NamedOperation;
  const paths = subjects['wallets']?.map((wallet) => `${restBindingOf(cheap, { wallet })?.path}?wallet=${wallet}`) ?? [];
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      while (reads < READS) {
        const path = [...paths, `/api/profile/${person.username}`][reads % 3];
        judge(String(path), (await call(market.url, `GET /${String(path).slice(1)}`)).body['data'] ?? null);
      }
    }),
  );
});

function withoutQuestion(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data ?? null, (key, value: unknown) => (['query', 'q', 'corrected'].includes(key) ? undefined : value)));
}

test('Y01: the first username of an account is random', async () => {
  assert.match(person.username, /^user_[a-z0-9]{10}$/);
  assert.ok(!person.id.includes(person.username.slice(5)));
});
