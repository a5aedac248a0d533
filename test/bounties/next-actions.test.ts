/** `next_actions` of a bounty match its commands over HTTP: every offered action works, and every other one is refused. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { bountyLimits } from '@market/contract';
import { createMarketClient, MarketApiError } from '@market/sdk';
import { runMarket } from '../../packages/cli/src/run-market.ts';
import {
  acceptClaim,
  cancelBounty,
  claimBounty,
  inviteClaim,
  payBounty,
  postBounty,
  tryAccept,
  tryClaim,
  withdrawClaim,
} from '../harness/bounties.ts';
import { openAdmin } from '../harness/disputes.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { type Buyer, openBuyer, openProvider, type Provider, requireSoundBooks } from '../harness/orders.ts';
import { asHeaders, baseWallet, openSession, signed } from '../harness/people.ts';

interface Ready {
  readonly action: string;
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, string>;
  readonly required: readonly string[];
}

type Person = 'poster' | 'claimant' | 'claimant’s owner' | 'winner' | 'newcomer' | 'sleeper' | 'stranger' | 'nobody';

interface Scene {
  readonly id: string;
  readonly claim: string | undefined;
  readonly winner: string | undefined;
}

const scenes = ['no claim', 'pending claim', 'proposal', 'invited proposal', 'withdrawn claim', 'accepted', 'cancelled'] as const;
type SceneName = (typeof scenes)[number];

/** The actions that each person has on the bounty or on the claims they see. */
const promised: Readonly<Record<SceneName, Readonly<Record<Person, readonly string[]>>>> = {
  'no claim': {
    poster: ['cancel'],
    claimant: ['claim'],
    'claimant’s owner': ['claim'],
    winner: ['claim'],
    newcomer: ['claim'],
    sleeper: [],
    stranger: [],
    nobody: [],
  },
  'pending claim': {
    poster: ['accept', 'cancel', 'read_claims'],
    claimant: ['withdraw'],
    'claimant’s owner': ['withdraw'],
    winner: ['claim'],
    newcomer: ['claim'],
    sleeper: [],
    stranger: [],
    nobody: [],
  },
  proposal: {
    poster: ['cancel', 'invite', 'read_claims'],
    claimant: ['withdraw'],
    'claimant’s owner': ['withdraw'],
    winner: ['claim'],
    newcomer: ['claim'],
    sleeper: [],
    stranger: [],
    nobody: [],
  },
  'invited proposal': {
    poster: ['accept', 'cancel', 'read_claims'],
    claimant: ['withdraw'],
    'claimant’s owner': ['withdraw'],
    winner: ['claim'],
    newcomer: ['claim'],
    sleeper: [],
    stranger: [],
    nobody: [],
  },
  'withdrawn claim': {
    poster: ['cancel'],
    claimant: ['claim'],
    'claimant’s owner': ['claim'],
    winner: ['claim'],
    newcomer: ['claim'],
    sleeper: [],
    stranger: [],
    nobody: [],
  },
  accepted: {
    poster: ['read_order'],
    claimant: [],
    'claimant’s owner': [],
    winner: ['read_order'],
    newcomer: [],
    sleeper: [],
    stranger: [],
    nobody: [],
  },
  cancelled: {
    poster: [],
    claimant: [],
    'claimant’s owner': [],
    winner: [],
    newcomer: [],
    sleeper: [],
    stranger: [],
    nobody: [],
  },
};

describe('next_actions of bounties, over HTTP', () => {
  let market: TestMarket;
  let url: string;
  let poster: Buyer;
  let claimant: Provider;
  let winner: Provider;
  let newcomer: Provider;
  let sleeper: Provider;
  let headers: Record<Person, Record<string, string>>;
  before(async () => {
    market = await openMarket({ ...withChains, JOBS: 'off' });
    url = market.url;
    poster = await openBuyer(market, 'base-mainnet', 1_000_000_000n);
    [claimant, winner, newcomer, sleeper] = [
      await openProvider(url),
      await openProvider(url),
      await openProvider(url),
      await openProvider(url),
    ];
    await market.database.pool.query('update agents set active = false where id = $1', [sleeper.id]);
    const key = ({ key: shown }: Provider) => ({ authorization: `Bearer ${shown}` });
    headers = {
      // A session, because a signature pays with one transfer only.
      poster: { cookie: await openSession(url, poster), origin: url },
      claimant: key(claimant),
      'claimant’s owner': asHeaders(await signed(claimant.owner)),
      winner: key(winner),
      newcomer: key(newcomer),
      // The key of an inactive agent is refused, so its owner asks.
      sleeper: asHeaders(await signed(sleeper.owner)),
      stranger: asHeaders(await signed(baseWallet())),
      nobody: {},
    };
  });
  after(() => market.close());

  const opened: string[] = [];
  // Ends what is still open, because an owner has at most 40 undecided claims.
  afterEach(async () => {
    for (const id of opened.splice(0)) await cancelBounty(url, id, poster);
  });

  async function open(name: SceneName): Promise<Scene> {
    const isPitched = name === 'proposal' || name === 'invited proposal';
    const { id } = await postBounty(url, poster, isPitched ? { mode: 'pitch' } : {});
    opened.push(id);
    const claim = name === 'no claim' ? undefined : await claimBounty(url, id, claimant);
    if (name === 'invited proposal') assert.equal((await inviteClaim(url, id, claim ?? '', poster)).status, 200);
    if (name === 'withdrawn claim') assert.equal((await withdrawClaim(url, id, claimant)).status, 200);
    if (name === 'cancelled') assert.equal((await cancelBounty(url, id, poster)).status, 200);
    if (name !== 'accepted') return { id, claim, winner: undefined };
    const won = await claimBounty(url, id, winner);
    await acceptClaim(market, id, won, poster);
    return { id, claim, winner: won };
  }

  /** The actions offered with the bounty, and to the poster also with each claim. */
  async function offersTo(id: string, person: Person): Promise<Ready[]> {
    const { status, body } = await call(url, `GET /api/bounties/${id}?include_claims=1`, { headers: headers[person] });
    assert.equal(status, 200, JSON.stringify(body));
    const { next_actions: own, claims = [] } = body['data'];
    return [...own, ...claims.flatMap((claim: { next_actions: Ready[] }) => claim.next_actions)];
  }

  async function take(offer: Ready, person: Person): Promise<Reply> {
    const values: Record<string, string> = {
      client_wallet: poster.address,
      agent_id: claimant.id,
      message: 'I would compare both lists line by line.',
      ...(offer.required.includes('escrow_tx_hash') && { escrow_tx_hash: await payBounty(market, poster) }),
    };
    const added = Object.fromEntries(offer.required.map((field) => [field, values[field]]));
    return await call(url, `${offer.method} ${offer.path}` as `GET /${string}`, {
      headers: headers[person],
      ...(offer.method !== 'GET' && offer.method !== 'DELETE' && { body: { ...offer.body, ...added } }),
    });
  }

  for (const name of scenes) {
    test(`a bounty with ${name} offers each person exactly the documented actions, and every offered action works`, async () => {
      for (const person of Object.keys(promised[name]) as Person[]) {
        const { id } = await open(name);
        const offered = await offersTo(id, person);
        assert.deepEqual(offered.map(({ action }) => action).toSorted(), promised[name][person], person);
        for (const { action } of offered) {
          const scene = await open(name);
          const again = (await offersTo(scene.id, person)).find((offer) => offer.action === action);
          assert.ok(again);
          const { status, body } = await take(again, person);
          assert.ok(status < 300, `${action} by ${person}: ${JSON.stringify(body)}`);
        }
      }
    });
  }

  test('an action that is not offered is refused, and the refusal names the possible ones', async () => {
    const wrong = async (reply: Reply, code: string, next: readonly string[]) => {
      assert.equal(reply.body['code'], code);
      assert.deepEqual(
        reply.body['data'].next_actions.map(({ action }: Ready) => action),
        next,
      );
    };
    const pending = await open('pending claim');
    await wrong(await tryClaim(url, pending.id, claimant), 'claim_exists', ['withdraw']);
    const withdrawn = await open('withdrawn claim');
    const late = await tryAccept(url, withdrawn.id, withdrawn.claim ?? '', poster, `0x${'ab'.repeat(32)}`);
    await wrong(late, 'claim_not_pending', ['cancel']);
    const proposal = await open('proposal');
    const early = await tryAccept(url, proposal.id, proposal.claim ?? '', poster, `0x${'ab'.repeat(32)}`);
    await wrong(early, 'claim_not_invited', ['invite', 'read_claims', 'cancel']);
    await wrong(await inviteClaim(url, pending.id, pending.claim ?? '', poster), 'bounty_takes_no_pitches', [
      'accept',
      'read_claims',
      'cancel',
    ]);
    const cancelled = await open('cancelled');
    await wrong(await cancelBounty(url, cancelled.id, poster), 'bounty_not_open', []);
    await wrong(await tryClaim(url, cancelled.id, newcomer), 'bounty_not_open', []);
    const accepted = await open('accepted');
    await wrong(await withdrawClaim(url, accepted.id, winner), 'claim_accepted', ['read_order']);
    await wrong(await tryAccept(url, accepted.id, accepted.claim ?? '', poster, `0x${'ab'.repeat(32)}`), 'bounty_not_open', ['read_order']);
  });

  test('the SDK passes on the possible next actions of a refusal, and the command line prints them as commands', async () => {
    const { id } = await open('pending claim');
    const client = createMarketClient({ baseUrl: url, apiKey: claimant.key });
    const refusal = await client.bounties.claim({ id, message: 'Once more.' }).then(
      () => assert.fail('claimed twice'),
      (error: unknown) => error,
    );
    assert.ok(refusal instanceof MarketApiError);
    const [withdraw] = refusal.nextActions;
    assert.deepEqual([refusal.code, withdraw?.operation], ['claim_exists', 'bounties.withdraw']);
    const complained: string[] = [];
    const printed: string[] = [];
    const terminal = {
      env: { MARKET_URL: url, MARKET_API_KEY: claimant.key },
      readInput: async () => '',
      print: (line: string) => void printed.push(line),
      complain: (line: string) => void complained.push(line),
      interruption: () => new AbortController().signal,
    };
    assert.equal(await runMarket(['bounties', 'claim', '--id', id, '--message', 'Once more.'], terminal), 1);
    const command = `market bounties withdraw --id ${id} --agent-id ${claimant.id}`;
    assert.equal(complained[1], `You can: Withdraw the claim. The agent may claim again. ${command}`);
    // The printed command can be run.
    assert.equal(await runMarket(command.split(' ').slice(1), terminal), 0, complained.join());
    assert.deepEqual(JSON.parse(printed.join()), { bounty_id: id, status: 'withdrawn' });
  });

  test('a claim of an agent that left the market is not offered for acceptance, and accepting it is refused', async () => {
    const leaver = await openProvider(url);
    const { id } = await postBounty(url, poster);
    const claim = await claimBounty(url, id, leaver);
    await market.database.pool.query('update agents set active = false where id = $1', [leaver.id]);
    assert.deepEqual(
      (await offersTo(id, 'poster')).map(({ action }) => action),
      ['read_claims', 'cancel'],
    );
    assert.equal((await tryAccept(url, id, claim, poster, `0x${'ab'.repeat(32)}`)).body['code'], 'agent_inactive');
  });

  test('a claim of a banned owner’s agent is not offered, and inviting or accepting it is refused', async () => {
    const admin = await openAdmin(url);
    for (const step of ['accept', 'invite', 'accept an invited'] as const) {
      const outlaw = await openProvider(url);
      const { id } = await postBounty(url, poster, step === 'accept' ? {} : { mode: 'pitch' });
      opened.push(id);
      const claim = await claimBounty(url, id, outlaw);
      if (step === 'accept an invited') assert.equal((await inviteClaim(url, id, claim, poster)).status, 200);
      const body = { kind: 'wallet', value: outlaw.owner.address, reason: 'Stolen pictures.' };
      assert.equal((await call(url, 'POST /api/admin/bans', { key: admin, body })).status, 200);
      assert.deepEqual(
        (await offersTo(id, 'poster')).map(({ action }) => action),
        ['read_claims', 'cancel'],
        step,
      );
      const refused =
        step === 'invite' ? await inviteClaim(url, id, claim, poster) : await tryAccept(url, id, claim, poster, `0x${'ab'.repeat(32)}`);
      assert.deepEqual([refused.status, refused.body['code']], [403, 'agent_not_hireable'], step);
    }
  });

  test('claims of agents that left the market or were banned leave their slots free: others may claim', async () => {
    const { id } = await postBounty(url, poster);
    opened.push(id);
    const agents: Provider[] = [];
    for (let n = 0; n < bountyLimits.claimsPerBounty; n++) agents.push(await openProvider(url));
    for (const agent of agents) await claimBounty(url, id, agent);
    const offered = async () => (await offersTo(id, 'newcomer')).map(({ action }) => action);
    const others = [newcomer, winner, claimant];
    assert.deepEqual(await offered(), []);
    assert.equal((await tryClaim(url, id, newcomer)).body['code'], 'bounty_full');
    for (const [n, change] of ['active = false', `moderation_status = 'spam'`, 'owner_banned = true'].entries()) {
      const other = others[n] as Provider;
      await market.database.pool.query(`update agents set ${change} where id = $1`, [agents[n]?.id]);
      if (n === 0) assert.deepEqual(await offered(), ['claim']);
      await claimBounty(url, id, other);
      assert.equal((await tryClaim(url, id, others[n + 1] ?? (await openProvider(url)))).body['code'], 'bounty_full', change);
    }
    // The flag follows bans, and the audit compares them.
    await market.database.pool.query('update agents set owner_banned = false where id = $1', [agents[2]?.id]);
  });

  test('an agent whose owner has 40 open claims is offered no claim until one is withdrawn', async () => {
    const owned = await openProvider(url);
    const ids: string[] = [];
    for (let n = 0; n < 41; n++) ids.push((await postBounty(url, poster)).id);
    const [last = '', ...others] = ids;
    for (const id of others) await claimBounty(url, id, owned);
    const offered = async () =>
      (await call(url, `GET /api/bounties/${last}`, { key: owned.key })).body['data'].next_actions.map(({ action }: Ready) => action);
    assert.deepEqual(await offered(), []);
    assert.equal((await tryClaim(url, last, owned)).body['code'], 'too_many_open_claims');
    assert.equal((await withdrawClaim(url, others[0] ?? '', owned)).status, 200);
    assert.deepEqual(await offered(), ['claim']);
  });

  test('A03: the list of one’s own bounties carries the actions of the poster and of each own claim', async () => {
    const scene = await open('pending claim');
    const mine = async (person: Person) => {
      const rows = (await call(url, 'GET /api/bounties/my', { headers: headers[person] })).body['data'];
      return rows.find((row: { id: string }) => row.id === scene.id);
    };
    const actions = (rows: readonly Ready[]) => rows.map(({ action }) => action);
    assert.deepEqual(actions((await mine('poster')).next_actions), ['read_claims', 'cancel']);
    const [claim] = (await mine('claimant')).my_claims;
    assert.deepEqual([actions(claim.next_actions), (await mine('claimant')).next_actions], [['withdraw'], []]);
  });

  test('the books are sound after all actions on bounties', async () => {
    await requireSoundBooks(market);
  });
});
