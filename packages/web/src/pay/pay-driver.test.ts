import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketApiError } from '@market/sdk';
import { type PayableNetwork, type PreparedPayment, WalletProblem, type WalletSession } from '../wallets/wallet-session.ts';
import { createPayDriver, type PayDriverOptions, type PayTerms } from './pay-driver.ts';
import type { PayState } from './pay-machine.ts';
import { readRecord } from './payment-record.ts';

const SUBJECT = 'order:ord_1';
const PAY_TO = '0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF';
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const WALLET = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';
const HASH = `0x${'5'.repeat(64)}`;
const terms: PayTerms = { network: 'base-mainnet', pay_to: PAY_TO, usdc_address: USDC, amount_usd: '25.00', amount_micros: '25000000' };
const network = { network: 'base-mainnet', kind: 'evm', chain_id: 8453, confirmations: 3 } as PayableNetwork;
const data = `0xa9059cbb${PAY_TO.slice(2).toLowerCase().padStart(64, '0')}${25_000_000n.toString(16).padStart(64, '0')}`;

const prepared: PreparedPayment = {
  network: 'base-mainnet',
  payer: WALLET,
  pay_to: PAY_TO,
  usdc_address: USDC,
  amount_usd: '25.00',
  amount_micros: '25000000',
  usdc_balance: '400.00',
  native_balance: '1',
  fee_native: '1',
  missing_usd: '0.00',
  missing_native: '0',
  transaction: {
    kind: 'evm',
    chain_id: 8453,
    from: WALLET,
    to: USDC,
    data,
    value: '0x0',
    gas: '0x1',
    max_fee_per_gas: '0x1',
    max_priority_fee_per_gas: '0x1',
    nonce: 0,
  },
};

type Progress = Awaited<ReturnType<PayDriverOptions['ask']['progress']>>;
const at = (confirmations: number, more: Partial<Progress> = {}): Progress => ({
  network: 'base-mainnet',
  reference: HASH,
  state: 'landed',
  confirmations,
  confirmations_required: 3,
  final: false,
  received_usd: '25.00',
  explorer_url: null,
  ...more,
});

function memory(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as Storage;
}

interface Scene {
  readonly pay?: WalletSession['payUsdc'];
  readonly progress?: readonly (Progress | Error)[];
  readonly submit?: readonly (Error | undefined)[];
  readonly prepare?: () => PreparedPayment;
  readonly elsewhere?: boolean;
  readonly enter?: () => Promise<void>;
  readonly store?: Storage;
  readonly alone?: boolean;
}

function open(scene: Scene) {
  const store = scene.store ?? memory();
  const seen: string[] = [];
  const submitted: string[] = [];
  const progress = [...(scene.progress ?? [at(3)])];
  const submit = [...(scene.submit ?? [])];
  let time = 0;
  let paid = 0;
  let asked = 0;
  const session: WalletSession = {
    id: 'evm:a',
    name: 'A',
    kind: 'evm',
    address: WALLET,
    signMessage: async () => '0x',
    isElsewhere: async () => scene.elsewhere === true,
    enterNetwork: scene.enter ?? (async () => undefined),
    async payUsdc(payment, keep) {
      asked += 1;
      if (scene.pay !== undefined) return await scene.pay(payment, keep);
      keep(HASH);
      return HASH;
    },
    onChange: () => () => undefined,
  };
  const driver = createPayDriver({
    subject: SUBJECT,
    ask: {
      prepare: async () => scene.prepare?.() ?? prepared,
      progress: async () => {
        const next = progress.length > 1 ? progress.shift() : progress[0];
        if (next instanceof Error) throw next;
        return next ?? at(3);
      },
      submit: async (_network, reference) => {
        submitted.push(reference);
        const refusal = submit.shift();
        if (refusal !== undefined) throw refusal;
      },
    },
    connect: async () => session,
    store,
    alone: async (_name, work) => {
      if (scene.alone === false) return false;
      await work();
      return true;
    },
    pause: async (ms) => {
      time += ms;
      if (time > 3_600_000) driver.stop();
    },
    now: () => time,
    onPaid: () => {
      paid += 1;
    },
  });
  driver.subscribe(() => seen.push(driver.state().phase));
  const settled = async (): Promise<PayState> => {
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return driver.state();
  };
  return { driver, store, seen, submitted, settled, paidTimes: () => paid, askedTimes: () => asked };
}

const refused = (code: string, status = 400): MarketApiError =>
  new MarketApiError({ status, code, message: `No: ${code}.`, requestId: 'req_1' });

async function payWith(scene: Scene) {
  const opened = open(scene);
  opened.driver.resume();
  await opened.driver.choose('evm:a', terms);
  await opened.driver.pay(terms, network);
  return { ...opened, state: await opened.settled() };
}

test('a payment goes from choosing to done, is reported once, and its record is removed when verified', async () => {
  const { seen, state, submitted, store, paidTimes } = await payWith({
    progress: [at(0, { state: 'missing', received_usd: '0.00' }), at(1), at(3)],
  });
  assert.deepEqual(seen, [
    'choosing',
    'connecting',
    'checking',
    'ready',
    'ready',
    'signing',
    'sent',
    'confirming',
    'confirming',
    'submitting',
    'verified',
    'done',
  ]);
  assert.deepEqual([state.phase, state.late, submitted, paidTimes()], ['done', false, [HASH], 1]);
  assert.equal(readRecord(store, SUBJECT), undefined);
});

test('the record is stored before the wallet is asked, and has the reference before the wallet sends', async () => {
  const store = memory();
  const kept: unknown[] = [];
  await payWith({
    store,
    async pay(_payment, keep) {
      kept.push(readRecord(store, SUBJECT)?.reference, readRecord(store, SUBJECT)?.wallet);
      keep(HASH);
      kept.push(readRecord(store, SUBJECT)?.reference);
      return HASH;
    },
  });
  assert.deepEqual(kept, [undefined, WALLET, HASH]);
});

test('a reload continues from the payment’s reference and asks no wallet', async () => {
  const store = memory();
  const first = open({ store, progress: [at(1)] });
  first.driver.resume();
  await first.driver.choose('evm:a', terms);
  await first.driver.pay(terms, network);
  first.driver.stop();
  const second = open({ store, progress: [at(2), at(3)] });
  second.driver.resume();
  assert.deepEqual([(await second.settled()).phase, second.submitted, second.askedTimes()], ['done', [HASH], 0]);
});

test('a wallet that never answered leaves the payment unsure: no second payment until the person starts over', async () => {
  const store = memory();
  const first = await payWith({ store, pay: async () => await Promise.reject(new WalletProblem('failed', 'Internal error')) });
  assert.equal(first.state.phase, 'unsure');
  const second = open({ store });
  second.driver.resume();
  await second.driver.choose('evm:a', terms);
  await second.driver.pay(terms, network);
  assert.deepEqual([(await second.settled()).phase, second.askedTimes()], ['unsure', 0]);
  second.driver.startOver();
  await second.driver.choose('evm:a', terms);
  await second.driver.pay(terms, network);
  assert.deepEqual([(await second.settled()).phase, second.askedTimes()], ['done', 1]);
});

test('a payment refused in the wallet sends nothing and leaves no record; paying again works', async () => {
  let times = 0;
  const opened = await payWith({
    async pay(_payment, keep) {
      times += 1;
      if (times === 1) throw new WalletProblem('refused', 'No.');
      keep(HASH);
      return HASH;
    },
  });
  assert.deepEqual([opened.state.trouble, readRecord(opened.store, SUBJECT)], ['refused', undefined]);
  await opened.driver.pay(terms, network);
  assert.equal((await opened.settled()).phase, 'done');
});

test('each wallet error shows its own state of the payment', async () => {
  const troubles = {
    busy: 'busy',
    network_refused: 'network_refused',
    unknown_network: 'network_refused',
    real_money: 'real_money',
    locked: 'wallet_failed',
  } as const;
  for (const [said, shown] of Object.entries(troubles)) {
    const { state } = await payWith({ enter: async () => await Promise.reject(new WalletProblem(said as 'busy', 'Said.')) });
    assert.deepEqual([state.phase, state.trouble], ['failed', shown]);
  }
});

test('a wallet on another network is asked to switch before it signs', async () => {
  const { seen } = await payWith({ elsewhere: true });
  assert.deepEqual(seen.slice(3, 7), ['ready', 'ready', 'wrong_network', 'signing']);
});

test('a prepared payment to another receiver is never given to the wallet', async () => {
  const { transaction } = prepared;
  if (transaction.kind !== 'evm') assert.fail('an EVM payment');
  const bent = { ...prepared, transaction: { ...transaction, data: data.replace('2b5ad5', '666666') } };
  const { state, askedTimes, store } = await payWith({ prepare: () => bent });
  assert.deepEqual([state.trouble, askedTimes(), readRecord(store, SUBJECT)], ['not_what_was_agreed', 0, undefined]);
});

test('each error of the chain and of the service shows its own state of the payment', async () => {
  const byChain: [Progress, string][] = [
    [at(1, { state: 'failed', received_usd: '0.00' }), 'reverted'],
    [at(1, { received_usd: '0.00' }), 'wrong_receiver'],
  ];
  for (const [seen, trouble] of byChain) assert.equal((await payWith({ progress: [seen] })).state.trouble, trouble);
  const byService = {
    payment_underpaid: 'wrong_amount',
    payment_not_received: 'wrong_receiver',
    payment_wrong_payer: 'wrong_payer',
    payment_reserved: 'reserved',
    payment_too_old: 'too_old',
    payment_already_used: 'already_used',
    payment_failed: 'reverted',
    illegal_transition: 'turned_down',
  };
  for (const [code, trouble] of Object.entries(byService)) {
    const { state } = await payWith({ submit: [refused(code)] });
    assert.deepEqual([state.trouble, state.reference, state.requestId], [trouble, HASH, 'req_1'], code);
  }
});

test('a payment is reported later to an unreachable service; its reference is kept until then', async () => {
  const { state, seen, submitted } = await payWith({
    progress: [refused('network_error', 0), at(3)],
    submit: [refused('unavailable', 503), refused('payment_not_final'), undefined],
  });
  assert.equal(state.phase, 'done');
  assert.equal(submitted.length, 3);
  assert.ok(seen.includes('failed'));
});

test('an unknown transaction is shown as dropped after two minutes, and found when it lands late', async () => {
  const missing = at(0, { state: 'missing', received_usd: '0.00' });
  const { state, seen } = await payWith({ progress: [...Array.from({ length: 400 }, () => missing), at(3)] });
  assert.ok(seen.includes('failed'));
  assert.deepEqual([state.phase, state.late], ['done', true]);
});

test('a payment in another tab blocks this one', async () => {
  const { state, askedTimes } = await payWith({ alone: false });
  assert.deepEqual([state.trouble, askedTimes()], ['busy', 0]);
});

test('a pasted reference is tracked like our own; invalid text is refused and not stored', async () => {
  const good = open({ progress: [at(2), at(3)] });
  good.driver.resume();
  await good.driver.take(` ${HASH} `, terms);
  assert.deepEqual([(await good.settled()).phase, good.submitted], ['done', [HASH]]);
  const bad = open({ progress: [refused('invalid_payment_reference')] });
  bad.driver.resume();
  await assert.rejects(bad.driver.take('hello', terms), /invalid_payment_reference/);
  assert.deepEqual([bad.driver.state().phase, readRecord(bad.store, SUBJECT)], ['choosing', undefined]);
});
