/** Undeployed smart accounts of a real factory on the local chain sign before (ERC-6492) and after (ERC-1271) their deployment. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { sandboxSmartWallet, sandboxWalletFactory } from '@market/sandbox/evm';
import { erc20Abi, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { encodeFunctionData, getAddress, serializeErc6492Signature } from 'viem/utils';
import { pay } from '../../packages/server/testing/facilitator-test-bench.ts';
import { type FaultyNode, startFaultyNode } from '../harness/faulty-nodes.ts';
import { call, cookieOf, type Reply } from '../harness/http.ts';
import { hireWith, readOffer, requireHired, versionTwo } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { act, listService, openProvider, type Provider, placeOrder, readOrder } from '../harness/orders.ts';
import { createPayer, type EvmPayer, untilLanded } from '../harness/payers.ts';
import { agreed, asHeaders, type SignatureFields, signed, type TestWallet } from '../harness/people.ts';

const NETWORK = 'base-mainnet';
/** The budget of one client address per minute: ten times as many through the scale of the limits. */
const CHECKS = 30;

/** False factories, as creation code: each copies the bytes behind it and returns them as its code. */
const LIARS = {
  // STOP: succeeds and creates nothing.
  'makes nothing': '0x6001600c60003960016000f300',
  // Returns a word of ones to every call.
  'says yes to everything': '0x600b600c600039600b6000f360001960005260206000f3',
  // JUMPDEST GAS BALANCE POP PUSH1 0 JUMP: never ends. Each round reads another account, so that it costs gas more than time.
  'never ends': '0x6007600c60003960076000f35b5a3150600056',
  // INVALID: burns all gas.
  'burns all gas': '0x6001600c60003960016000f3fe',
  // PUSH1 0 DUP1 REVERT
  reverts: '0x6004600c60003960046000f3600080fd',
} as const satisfies Record<string, Hex>;

describe('a smart account from a factory', () => {
  const nodes = new Map<NetworkName, FaultyNode>();
  let asked = 0;
  let market: TestMarket;
  let url: string;
  let deployer: EvmPayer;
  let factory: Hex;
  let provider: Provider;
  let serviceId: string;

  before(async () => {
    market = await openMarket(
      {
        ...withChains,
        JOBS: 'off',
        RATE_LIMIT_SCALE: '10',
        SIGNATURE_CHECKS_PER_MINUTE: String(CHECKS / 10),
        TRUSTED_PROXIES: '127.0.0.1',
      },
      {
        reroute: (places) =>
          Promise.all(
            places.map(async (place) => {
              const node = await startFaultyNode(place.urls[0] ?? '');
              nodes.set(place.network, node);
              return { ...place, urls: [node.url] };
            }),
          ),
      },
    );
    url = market.url;
    for (const node of nodes.values())
      node.spoil(
        async (response, ask) => {
          asked += 1;
          response.end(JSON.stringify(await ask()));
        },
        ['eth_call'],
      );
    const payer = await createPayer(market, NETWORK);
    assert.ok(payer.kind === 'evm');
    deployer = payer;
    factory = await deploy(sandboxWalletFactory.creationCode);
    provider = await openProvider(url);
    serviceId = await listService(url, provider, { price_usd: '1.00' });
  });
  after(async () => {
    await market.close();
    for (const node of nodes.values()) node.close();
  });

  async function deploy(data: Hex): Promise<Hex> {
    const hash = await deployer.wallet.sendTransaction({ data, gas: 5_000_000n } as never);
    const { contractAddress } = await deployer.reader.waitForTransactionReceipt({ hash });
    assert.ok(typeof contractAddress === 'string');
    return contractAddress;
  }

  const creation = (owner: Hex, salt: bigint): Hex =>
    encodeFunctionData({ abi: sandboxWalletFactory.abi, functionName: 'createAccount', args: [owner, salt] });

  const isDeployed = async (address: string): Promise<boolean> =>
    (await deployer.reader.getCode({ address: address as Hex })) !== undefined;

  interface Account {
    readonly address: Hex;
    readonly owner: ReturnType<typeof privateKeyToAccount>;
    /** The call data that creates the account. */
    readonly creation: Hex;
    /** Signs as the account before its deployment, through its own factory or another. */
    before(through?: string, data?: string): TestWallet;
    /** Signs as the account after its deployment. */
    readonly after: TestWallet;
    deploy(): Promise<void>;
  }

  let salts = 0n;
  async function openAccount(owner = privateKeyToAccount(generatePrivateKey())): Promise<Account> {
    const salt = salts++;
    const address = getAddress(
      await deployer.reader.readContract({
        address: factory,
        abi: sandboxWalletFactory.abi,
        functionName: 'addressOf',
        args: [owner.address, salt],
      }),
    );
    const made = creation(owner.address, salt);
    const wallet = (sign: TestWallet['sign']): TestWallet => ({ chain: 'base', address, sign });
    return {
      address,
      owner,
      creation: made,
      before: (through = factory, data = made) =>
        wallet(async (message) =>
          serializeErc6492Signature({ address: through as Hex, data: data as Hex, signature: await owner.signMessage({ message }) }),
        ),
      after: wallet((message) => owner.signMessage({ message })),
      async deploy() {
        const hash = await deployer.wallet.sendTransaction({ to: factory, data: made, gas: 2_000_000n } as never);
        assert.equal((await deployer.reader.waitForTransactionReceipt({ hash })).status, 'success');
        assert.ok(await isDeployed(address));
      },
    };
  }

  let clients = 0;
  const newClient = (): Record<string, string> => {
    clients += 1;
    return { 'x-forwarded-for': `198.51.100.${clients}` };
  };
  const signIn = async (wallet: TestWallet, client = newClient()): Promise<Reply> =>
    call(url, 'POST /api/auth/session', { headers: client, body: await agreed(url, wallet, { action: 'session' }) });
  const requireRefused = (reply: Reply, what: string): void =>
    assert.deepEqual([reply.status, reply.body['code']], [401, 'invalid_signature'], `${what}: ${JSON.stringify(reply.body)}`);

  test('a smart account signs in and orders before its deployment, pays and reads after it, as one and the same wallet', async () => {
    const account = await openAccount();
    const session = await signIn(account.before());
    assert.equal(session.status, 200, JSON.stringify(session.body));
    const who = await call(url, 'GET /api/auth/whoami', { headers: { cookie: cookieOf(session) } });
    assert.equal(who.body['data'].wallet.address, account.address);
    const orderId = await placeOrder(url, serviceId, account.before());
    assert.equal((await readOrder(url, orderId, account.before())).viewer_role, 'buyer');
    assert.equal(await isDeployed(account.address), false, 'checking a signature deploys nothing');
    requireRefused(await signIn(account.after), 'without its factory an account that is not there proves nothing');

    await account.deploy();
    // Only the refused signature itself is remembered; a new signature is checked anew.
    assert.equal((await signIn(account.after)).status, 200);
    assert.equal((await signIn(account.before())).status, 200, 'a wrapped signature stays good');
    const [option] = (await readOrder(url, orderId, account.after)).payment_options.filter(
      (one: { network: string }) => one.network === NETWORK,
    );
    const reference = await payFromAccount(account, option.pay_to, BigInt(option.amount_micros));
    const paid = await act(url, orderId, account.after, 'pay', { escrow_tx_hash: reference, payment_chain: 'base' });
    assert.equal(paid.status, 200, JSON.stringify(paid.body));
    const view = await readOrder(url, orderId, account.after);
    assert.deepEqual([view.order.status, view.order.client_wallet], ['paid', account.address]);
  });

  /** The owner pays the gas, the account the order. */
  async function payFromAccount({ address, owner }: Account, to: Hex, micros: bigint): Promise<string> {
    await market.localChains?.fund({ network: NETWORK, address, usdcMicros: micros, native: 0n });
    await market.localChains?.fund({ network: NETWORK, address: owner.address, usdcMicros: 0n, native: 10n ** 18n });
    while (
      (await deployer.chain.readBalances(address)).usdcMicros < micros ||
      (await deployer.chain.readBalances(owner.address)).native === 0n
    )
      await new Promise((resolve) => setTimeout(resolve, 50));
    const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, micros] });
    const usdc = deployer.chain.usdcAddress as Hex;
    const data = encodeFunctionData({ abi: sandboxSmartWallet.abi, functionName: 'execute', args: [usdc, 0n, transfer] });
    const { wallet } = deployer;
    const hash = await wallet.sendTransaction({ account: owner, to: address, data, gas: 300_000n } as never);
    await untilLanded(deployer.chain, hash, 'final');
    return hash;
  }

  test('A11: a wrapped signature is refused unless the account’s own factory and owner verify it', async () => {
    const account = await openAccount();
    const other = await deploy(sandboxWalletFactory.creationCode);
    const stranger = await openAccount();
    const key = privateKeyToAccount(generatePrivateKey());
    const cases: Record<string, TestWallet> = {
      'another factory makes it elsewhere': account.before(other),
      'its own factory makes another account': account.before(factory, stranger.creation),
      'nobody stands at the address of the factory': account.before(key.address),
      'the token as factory': account.before(deployer.chain.usdcAddress as Hex),
      'a stranger’s signature inside': { ...account.before(), sign: stranger.before(factory, account.creation).sign },
      'a wallet with a key, spoken for by a factory': { ...account.before(), address: key.address },
      'the provider’s wallet, spoken for by a factory': { ...account.before(), address: provider.owner.address },
    };
    for (const [what, code] of Object.entries(LIARS)) cases[`a factory that ${what}`] = account.before(await deploy(code));
    for (const [what, wallet] of Object.entries(cases)) {
      const startedAt = performance.now();
      requireRefused(await signIn(wallet), what);
      assert.ok(performance.now() - startedAt < 10_000, `${what} took ${performance.now() - startedAt} ms`);
    }
    assert.equal(await isDeployed(account.address), false);
    assert.equal((await signIn(account.before())).status, 200, 'the honest one still counts');
  });

  test('A11: a factory cannot override a deployed smart account', async () => {
    const account = await openAccount();
    await account.deploy();
    const stranger = await openAccount();
    for (const code of Object.values(LIARS)) {
      const sign = stranger.before(await deploy(code), account.creation).sign;
      requireRefused(await signIn({ chain: 'base', address: account.address, sign }), code);
    }
  });

  test('I16: a wrapped signature with huge calldata is refused without a node call, and a malformed one costs no extra node calls', async () => {
    const account = await openAccount();
    asked = 0;
    for (const bytes of [8_192, 60_000]) {
      const reply = await signIn(account.before(factory, `${account.creation}${'00'.repeat(bytes)}`));
      assert.ok([400, 401].includes(reply.status), `${bytes} bytes: ${reply.status} ${JSON.stringify(reply.body)}`);
    }
    assert.equal(asked, 0);
    const sign = async (text: string): Promise<string> => {
      const whole = await account.before().sign(text);
      return `${whole.slice(0, 200)}${whole.slice(-64)}`;
    };
    requireRefused(await signIn({ ...account.before(), sign }), 'cut in the middle');
    // One check for each text that this call accepts, on both networks with such contracts.
    assert.ok(asked <= 8, `${asked} questions`);
  });

  test('I16: wrapped signatures count against the budget of their client address only', async () => {
    const client = newClient();
    const liar = await deploy(LIARS['makes nothing']);
    const account = await openAccount();
    asked = 0;
    const replies: Reply[] = [];
    for (let tries = 0; tries < CHECKS + 5; tries++) {
      const fields: SignatureFields = await signed(account.before(liar), Date.now() - tries);
      replies.push(await call(url, 'GET /api/auth/whoami', { headers: { ...client, ...asHeaders(fields) } }));
    }
    // One request makes several checks: one for each text that it accepts.
    const statuses = replies.map(({ status }) => status);
    const passed = statuses.indexOf(429);
    assert.ok(passed > 0 && passed <= CHECKS, statuses.join(' '));
    assert.deepEqual(statuses, [...Array(passed).fill(401), ...Array(statuses.length - passed).fill(429)]);
    // Such contracts exist on two networks.
    assert.ok(asked <= 2 * CHECKS, `${asked} questions`);
    assert.equal((await signIn(account.before())).status, 200, 'another address has a budget of its own');
  });

  test('a smart account cannot make a standard payment before its deployment, and can after it', async () => {
    const account = await openAccount();
    const offer = await readOffer(market, url, serviceId, NETWORK);
    const micros = BigInt(offer.amount);
    await market.localChains?.fund({ network: NETWORK, address: account.address, usdcMicros: micros, native: 0n });
    const authorise = async (): Promise<Record<string, unknown> & { signature: Hex }> => ({
      ...((await pay(NETWORK, { ...account.owner, address: account.address }, offer)).payload as { signature: Hex }),
    });
    const early = await authorise();
    const wrapped = {
      ...early,
      signature: serializeErc6492Signature({ address: factory, data: account.creation, signature: early.signature }),
    };
    for (const payload of [wrapped, early]) {
      const refused = await hireWith(url, serviceId, versionTwo(offer, payload));
      assert.equal(refused.status, 402, JSON.stringify(refused.body));
    }
    assert.equal(await isDeployed(account.address), false, 'nobody deploys it at our cost');
    assert.equal((await deployer.chain.readBalances(account.address)).usdcMicros, micros);
    await account.deploy();
    await requireHired(hireWith(url, serviceId, versionTwo(offer, await authorise())));
    assert.equal((await deployer.chain.readBalances(account.address)).usdcMicros, 0n);
  });
});
