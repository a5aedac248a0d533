/** Parallel commands on one bounty through two server processes: it takes one path, and the records match the answers. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { BOUNTY, cancelBounty, postBounty, tryClaim, withdrawClaim } from '../harness/bounties.ts';
import { call, type Reply } from '../harness/http.ts';
import type { Provider } from '../harness/orders.ts';
import { openReceiver, type Receiver } from '../harness/receiver.ts';
import { times } from '../harness/thoroughness.ts';
import { requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { inTurns } from '../orders/many-orders.ts';
import {
  accept,
  BUDGET,
  endWindowWithin,
  type OpenBounty,
  openAgents,
  openBounty,
  openPoster,
  type Poster,
  readTraces,
  sendCosts,
} from './many-bounties.ts';

const ROUNDS = times(32, 200);
const CLAIM_ROUNDS = times(8, 30);
const TRANSFERS = times(4, 10);
/** Eight outcomes are possible; in so many rounds most of them happen. */
const LEAST_OUTCOMES = times(5, 6);
const ROUNDS_AT_ONCE = 5;
const AGENTS = 24;
const CLAIMS = 3;
const MOST_CLAIMS = 20;

suite('commands sent in parallel to one bounty through two processes', () => {
  let shared: SharedMoney;
  let urls: readonly [string, string];
  let poster: Poster;
  let agents: Provider[];
  let receiver: Receiver;
  before(async () => {
    shared = await openSharedMoney();
    receiver = await openReceiver();
    const reach = { OUTBOUND_ALLOW: '127.0.0.1' };
    const [one, two] = await Promise.all([shared.startServer(reach), shared.startServer(reach)]);
    urls = [one.url, two.url];
    poster = await openPoster(shared);
    agents = await openAgents(one.url, AGENTS);
  });
  after(async () => {
    await shared.close();
    await receiver.close();
  });

  const either = (n: number) => urls[n % 2] ?? '';
  const codeOf = ({ status, body }: Reply) => (status < 300 ? status : `${status} ${body['code']}`);

  async function isUnclaimed(reference: string): Promise<boolean> {
    const { rows } = await shared.database.pool.query('select 1 from payment_claims where lower(reference) = lower($1)', [reference]);
    return rows.length === 0;
  }

  /** A rival of an accept: sends its command, and says which answers are allowed when the accept wins and when it loses. */
  interface Rival {
    readonly give: (bounty: OpenBounty, round: number, reference: string) => Promise<Reply>;
    readonly whenLost: readonly (string | number)[];
    readonly acceptRefused: readonly string[];
  }
  const rivals: Readonly<Record<string, Rival>> = {
    accept: {
      give: (bounty, round, reference) => accept(either(round + 1), bounty, 1, poster, reference),
      whenLost: ['400 bounty_not_open', '400 claim_not_pending'],
      acceptRefused: ['400 bounty_not_open', '400 claim_not_pending'],
    },
    withdraw: {
      give: ({ id }, round) => withdrawClaim(either(round + 1), id, agents[round % AGENTS] as Provider),
      whenLost: ['400 claim_accepted'],
      acceptRefused: ['400 claim_not_pending'],
    },
    cancel: {
      give: ({ id }, round) => cancelBounty(either(round + 1), id, poster),
      whenLost: ['400 bounty_not_open'],
      acceptRefused: ['400 bounty_not_open', '400 claim_not_pending'],
    },
    expire: {
      give: async ({ id }) => {
        await endWindowWithin(shared, Math.random() * 60, id);
        return { status: 0, body: {} } as Reply;
      },
      whenLost: [0],
      acceptRefused: ['400 bounty_not_open', '400 bounty_expired', '400 claim_not_pending'],
    },
  };

  test(`R06: of an accept and a second accept, withdrawal, cancellation or expiry of a bounty exactly one wins, ${ROUNDS} rounds`, async () => {
    const references = await sendCosts(shared, poster, ROUNDS * 2);
    const names = Object.keys(rivals);
    const winners = await inTurns([...Array(ROUNDS).keys()], ROUNDS_AT_ONCE, async (round) => {
      const name = names[round % names.length] ?? '';
      const rival = rivals[name];
      const [mine, theirs] = [references[round * 2] ?? '', references[round * 2 + 1] ?? ''];
      const claimants = Array.from({ length: CLAIMS }, (_, n) => agents[(round + n) % AGENTS] as Provider);
      const bounty = await openBounty(either(round), poster, claimants);
      assert.ok(rival);
      const [accepted, other] = await Promise.all([accept(either(round), bounty, 0, poster, mine), rival.give(bounty, round, theirs)]);
      const what = `round ${round}, accept and ${name}: ${codeOf(accepted)}, ${codeOf(other)}`;
      if (accepted.status === 200) assert.ok(rival.whenLost.includes(codeOf(other)), what);
      else assert.ok(rival.acceptRefused.includes(String(codeOf(accepted))), what);
      if (accepted.status !== 200 && name === 'accept') assert.equal(other.status, 200, what);
      if (accepted.status !== 200 && name === 'expire') {
        await until(`${bounty.id} expiring`, async () =>
          (await readTraces(shared, bounty.id))['status'] === 'expired' ? true : undefined,
        );
      }
      const traces = await readTraces(shared, bounty.id);
      const hasOrder = accepted.status === 200 || name === 'accept';
      assert.deepEqual([traces['orders'], traces['payments'], traces['held']], hasOrder ? [1, 1, 1_100_000] : [0, 0, 0], what);
      const open = name === 'withdraw' && !hasOrder;
      assert.equal(String(traces['claims']).includes('pending'), open, `${what}: ${traces['claims']}`);
      assert.equal(await isUnclaimed(mine), accepted.status !== 200, what);
      assert.equal(await isUnclaimed(theirs), !(name === 'accept' && other.status === 200), what);
      return `${name} ${accepted.status === 200 ? 'accept' : 'rival'}`;
    });
    assert.ok(new Set(winners).size >= LEAST_OUTCOMES, [...new Set(winners)].join(', '));
  });

  test('M24, R06: the same accept in eight requests succeeds each time, with one order and one payment', async () => {
    const [reference = ''] = await sendCosts(shared, poster, 1);
    const bounty = await openBounty(urls[0], poster, agents.slice(0, 2));
    const replies = await Promise.all(Array.from({ length: 8 }, (_, n) => accept(either(n), bounty, 0, poster, reference)));
    assert.deepEqual(new Set(replies.map(codeOf)), new Set([200]));
    assert.equal(new Set(replies.map(({ body }) => body['data'].order_id)).size, 1);
    const { orders, payments, steps, claims } = await readTraces(shared, bounty.id);
    assert.deepEqual([orders, payments, steps, claims], [1, 1, 1, 'accepted,rejected']);
  });

  test('M02, R06: one transfer for two bounties at once funds one of them', async () => {
    const references = await sendCosts(shared, poster, TRANSFERS);
    await inTurns(references, 2, async (reference, round) => {
      const two = await Promise.all([0, 1].map((n) => openBounty(either(n), poster, [agents[(round + n) % AGENTS] as Provider])));
      const replies = await Promise.all(two.map((bounty, n) => accept(either(n), bounty, 0, poster, reference)));
      assert.deepEqual(replies.map(codeOf).map(String).sort(), ['200', '409 payment_already_used']);
    });
  });

  test(`R07: an agent that claims twice at once has one claim, and the other answer is 409; ${CLAIM_ROUNDS} rounds`, async () => {
    await inTurns([...Array(CLAIM_ROUNDS).keys()], ROUNDS_AT_ONCE, async (round) => {
      const { id } = await postBounty(either(round), poster, { budget_usd: BUDGET });
      const agent = agents[round % AGENTS] as Provider;
      const replies = await Promise.all([0, 1, 2].map((n) => tryClaim(either(n), id, agent)));
      assert.deepEqual(replies.map(codeOf).map(String).sort(), ['201', '409 claim_exists', '409 claim_exists']);
      assert.equal((await cancelBounty(either(round), id, poster)).status, 200);
    });
  });

  test(`R06: of ${AGENTS} agents that claim at once ${MOST_CLAIMS} get in; one wins while others withdraw, and each is notified of its outcome`, async () => {
    for (const { key } of agents) {
      assert.equal((await call(urls[0], 'PATCH /api/agents/me', { key, body: { endpoint_url: receiver.url } })).status, 200);
    }
    const { id } = await postBounty(urls[0], poster, { budget_usd: BUDGET });
    const replies = await Promise.all(agents.map((agent, n) => tryClaim(either(n), id, agent)));
    assert.equal(replies.filter(({ status }) => status === 201).length, MOST_CLAIMS);
    assert.deepEqual(new Set(replies.filter(({ status }) => status !== 201).map(codeOf)), new Set(['400 bounty_full']));
    const inside = agents.flatMap((agent, n) =>
      replies[n]?.status === 201 ? [{ agent, claim: String(replies[n]?.body['data'].claim_id) }] : [],
    );
    const [winner, second, leaver] = inside;
    assert.ok(winner && second && leaver);
    const [one = '', two = ''] = await sendCosts(shared, poster, 2);
    const bounty = { id, claims: [winner.claim, second.claim] };
    const [first, rival, left] = await Promise.all([
      accept(urls[0], bounty, 0, poster, one),
      accept(urls[1], bounty, 1, poster, two),
      withdrawClaim(urls[1], id, leaver.agent),
    ]);
    assert.deepEqual([first.status, rival.status].sort(), [200, 400]);
    assert.ok([200, 400].includes(left.status), JSON.stringify(left.body));
    const { claims } = await readTraces(shared, id);
    const rejected = String(claims)
      .split(',')
      .filter((status) => status === 'rejected').length;
    // A claim withdrawn before the acceptance gets no event. A later withdrawal finds the claim rejected.
    assert.ok(rejected === MOST_CLAIMS - 2 || rejected === MOST_CLAIMS - 1, String(claims));
    const calls = await until('the webhooks', async () => {
      const told = receiver.received.filter(({ json }) => json['data'].bounty_id === id);
      return told.length >= rejected + 1 ? told : undefined;
    });
    const told = Map.groupBy(calls, ({ json }) => String(json['event']));
    assert.deepEqual([told.get('bounty.accepted')?.length, told.get('bounty.claim_rejected')?.length], [1, rejected]);
    const granted = first.status === 200 ? first : rival;
    const [won] = told.get('bounty.accepted') ?? [];
    assert.deepEqual(won?.json, {
      event: 'bounty.accepted',
      order_id: granted.body['data'].order_id,
      data: { bounty_id: id, brief: BOUNTY.brief, budget_usd: BUDGET, deadline_hours: BOUNTY.deadline_hours },
    });
    for (const { json } of told.get('bounty.claim_rejected') ?? []) {
      assert.deepEqual(json, { event: 'bounty.claim_rejected', order_id: '', data: { bounty_id: id } });
    }
  });

  test('the books are sound after races for bounties', async () => {
    await requireSound(shared.money);
  });
});
