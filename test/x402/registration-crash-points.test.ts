/** kill -9 during a paid registration: it ends as one agent or without a charge, and no key is stored in plain text. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { forgetLeases, hasEnded } from '../faults/crash-lab.ts';
import { MACHINE_POINTS, pointsToDieAt } from '../faults/crash-points.ts';
import {
  type Headers,
  type MachineBuyer,
  type MachineStage,
  openMachineBuyer,
  openMachineStage,
  transferProof,
} from '../harness/machine-buyers.ts';
import {
  countAgents,
  REGISTRATION_MICROS,
  readOwnAgent,
  registerUntilKnown,
  registerWith,
  requireRegistered,
  signRegistration,
} from '../harness/machine-registrations.ts';
import { agentBody, asHeaders, signed } from '../harness/people.ts';
import { times } from '../harness/thoroughness.ts';
import { requireSound, until } from '../money/money.ts';
import { inTurns } from '../orders/many-orders.ts';

const DEATHS_AT_ONCE = 2;
/** One transaction claims a transfer and makes its agent. */
const TRANSFER_POINTS = pointsToDieAt(['claim.after_insert', 'claim.before_commit'], ['claim.before_commit']);
const DEATHS = pointsToDieAt(MACHINE_POINTS, ['x402.after_broadcast', 'x402.before_record_commit']);

/** From this point the node has the transaction: the registration must follow, however late anybody asks. */
const SENT = MACHINE_POINTS.indexOf('x402.after_broadcast');
/** A payment that no node got lapses with its authorisation, after 120 seconds. */
const LIFE_MS = 110_000;

/** The crash points are divided between these networks. */
const networks = ['base-mainnet', 'alt-mainnet'] as const;

interface CutShort {
  readonly buyer: MachineBuyer;
  readonly point: string;
  readonly signedAt: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

suite('a process that crashes during a paid registration', () => {
  let stage: MachineStage;
  let buyers: readonly MachineBuyer[];
  let funded: bigint;
  let agentsBefore: number;
  const cut: CutShort[] = [];
  const bought: CutShort[] = [];
  const buyerInTurn = (index: number): MachineBuyer => {
    const buyer = buyers[index % buyers.length];
    assert.ok(buyer);
    return buyer;
  };
  const holds = async () => {
    const held = await Promise.all(buyers.map(({ payer, address }) => payer.chain.readBalances(address)));
    return held.reduce((sum, { usdcMicros }) => sum + usdcMicros, 0n);
  };
  before(async () => {
    stage = await openMachineStage({ JOBS: 'off' }, { processes: times(1, 2) });
    buyers = await Promise.all(networks.map((network) => openMachineBuyer(stage, network)));
    [funded, agentsBefore] = [await holds(), await countAgents(stage)];
  });
  after(() => stage.close());

  async function dieOver(point: string, buyer: MachineBuyer, pay: () => Promise<Headers>): Promise<CutShort> {
    const doomed = await stage.startServer({ CRASH_AT: point, JOBS: 'off' });
    const [signedAt, headers, body] = [performance.now(), await pay(), agentBody()];
    await assert.rejects(registerWith(doomed.url, headers, body), TypeError, `${point}: there was an answer`);
    await until(`death at ${point}`, async () => (hasEnded(doomed) ? true : undefined));
    assert.equal(doomed.child.signalCode, 'SIGKILL', `${point}: ${doomed.log()}`);
    return { point, buyer, signedAt, headers, body };
  }

  test(`at ${DEATHS.join(', ')} of a paid registration the client gets no answer`, async () => {
    await inTurns(DEATHS, DEATHS_AT_ONCE, async (point, index) => {
      const buyer = buyerInTurn(index);
      cut.push(await dieOver(point, buyer, () => signRegistration(stage, stage.urls[0], buyer)));
    });
  });

  test('after crashes a new process creates every paid agent; a retry gets its key with the payer’s signature only', async () => {
    await stage.database.pool.query(`update jobs set run_at = market_now() where kind = 'x402.reconcile'`);
    await forgetLeases(stage);
    await stage.startServer();
    await until('every payment being over', async () => {
      const { rows } = await stage.database.pool.query(`select alias from x402_payments where state in ('settling', 'unknown')`);
      return rows.length === 0 ? true : undefined;
    });
    for (const one of cut) if (await hearOf(one)) bought.push(one);
    assert.ok(bought.length >= DEATHS.filter((point) => MACHINE_POINTS.indexOf(point) >= SENT).length);
    assert.equal(await countAgents(stage), agentsBefore + bought.length);
    assert.equal(funded - (await holds()), BigInt(bought.length) * REGISTRATION_MICROS);
  });

  /** False if the payment lapsed before it was sent, so that nothing was charged. */
  async function hearOf({ point, buyer, signedAt, headers, body }: CutShort): Promise<boolean> {
    const first = await registerUntilKnown(stage.urls[0], headers, body);
    const mayHaveLapsed = MACHINE_POINTS.indexOf(point) < SENT && performance.now() - signedAt > LIFE_MS;
    if (first.status === 402 && mayHaveLapsed) return false;
    const data = await requireRegistered(first);
    // If the payment was never sent, this request pays and gets the key.
    if (MACHINE_POINTS.indexOf(point) >= SENT) assert.equal(data['api_key'], null, `${point}: everybody can repeat this request`);
    const own = await requireRegistered(registerWith(stage.urls[1], { ...headers, ...asHeaders(await signed(buyer)) }, body));
    assert.match(own['api_key'] ?? '', /^market_/, `${point}: the payer gets the key`);
    assert.equal((await readOwnAgent(stage.urls[1], own['api_key']))?.['owner_wallet'], buyer.address);
    return true;
  }

  test(`a crash at ${TRANSFER_POINTS.join(', ')} leaves a registration’s transfer unused, and it registers when presented again`, async () => {
    for (const [index, point] of TRANSFER_POINTS.entries()) {
      const buyer = buyerInTurn(index);
      const { network, treasury } = buyer.payer.chain;
      const reference = await buyer.payer.pay(treasury, REGISTRATION_MICROS);
      const agents = await countAgents(stage);
      // The wallet owns agents by now, so its transfers need its signature.
      const { body, headers } = await dieOver(point, buyer, async () => ({
        ...transferProof(network, reference),
        ...asHeaders(await signed(buyer)),
      }));
      assert.equal(await countAgents(stage), agents);
      const data = await requireRegistered(registerWith(stage.urls[0], { ...headers, ...asHeaders(await signed(buyer)) }, body));
      assert.equal((await readOwnAgent(stage.urls[0], data['api_key']))?.['owner_wallet'], buyer.address);
    }
  });

  test('none of the API keys of crashed registrations is in the database in plain text', async () => {
    const { pool } = stage.database;
    const { rows: tables } = await pool.query<{ name: string }>(`select tablename as name from pg_tables where schemaname = 'public'`);
    const keys: string[] = [];
    for (const { buyer, headers, body } of bought) {
      const data = await requireRegistered(registerWith(stage.urls[0], { ...headers, ...asHeaders(await signed(buyer)) }, body));
      keys.push(String(data['api_key']).replace('market_', ''));
    }
    assert.ok(keys.length === bought.length && keys.every((key) => key.length === 48));
    for (const { name } of tables) {
      const { rows } = await pool.query<{ line: string }>(`select t::text as line from ${name} t`);
      const content = rows.map(({ line }) => line).join('\n');
      for (const key of keys) assert.ok(!content.includes(key) && !content.includes(Buffer.from(key).toString('hex')), name);
    }
  });

  test('the books are sound after crashed registrations', async () => {
    await requireSound(stage.money);
  });
});
