import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EvmProvider, type EvmSurroundings, watchEvmWallets } from './evm-wallets.ts';
import { type PayableNetwork, type PreparedPayment, type WalletOffer, WalletProblem } from './wallet-session.ts';

// A stand-in for the browser's window, of which this module needs only events.
const stage = new EventTarget();
Object.assign(globalThis, {
  addEventListener: stage.addEventListener.bind(stage),
  removeEventListener: stage.removeEventListener.bind(stage),
  dispatchEvent: stage.dispatchEvent.bind(stage),
});

const base = { network: 'base-mainnet', kind: 'evm', chain_id: 8453 } as PayableNetwork;
const payment = {
  payer: '0xAbC',
  transaction: { kind: 'evm', from: '0xabc', to: '0xusdc', data: '0xa9', value: '0x0', gas: '0x5', nonce: 7, max_fee_per_gas: '0x9' },
} as unknown as PreparedPayment;

/** A wallet that answers from a table and records the calls. */
function wallet(answers: Record<string, unknown>): EvmProvider & { asked: string[]; params: unknown[] } {
  const asked: string[] = [];
  const params: unknown[] = [];
  return {
    asked,
    params,
    async request({ method, params: given }) {
      asked.push(method);
      params.push(given);
      const answer = answers[method];
      if (answer instanceof Error || (answer !== null && typeof answer === 'object' && 'code' in answer)) throw answer;
      return typeof answer === 'function' ? answer() : answer;
    },
  };
}

function announce(provider: EvmProvider, info: Partial<Record<'name' | 'icon' | 'rdns', string>> = {}): void {
  const detail = { info: { uuid: 'u', name: 'Rabby', icon: 'data:image/png;base64,', rdns: 'io.rabby', ...info }, provider };
  stage.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
}

function find(provider: EvmProvider, surroundings?: EvmSurroundings): WalletOffer {
  const offers: WalletOffer[] = [];
  const stop = watchEvmWallets((offer) => offers.push(offer), surroundings);
  announce(provider);
  stop();
  const [offer] = offers;
  assert.ok(offer);
  return offer;
}

test('EVM wallets are listed once each, early and late; invalid announcements are ignored; only data: icons are shown', () => {
  const offers: WalletOffer[] = [];
  const answering = (): void => announce(wallet({}), { rdns: 'early' });
  stage.addEventListener('eip6963:requestProvider', answering);
  const stop = watchEvmWallets((offer) => offers.push(offer));
  stage.removeEventListener('eip6963:requestProvider', answering);
  announce(wallet({}));
  announce(wallet({}));
  announce(wallet({}), { rdns: 'evil', icon: 'https://evil.example/i.png' });
  stage.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: null }));
  stage.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info: { rdns: 'half' } } }));
  stop();
  announce(wallet({}), { rdns: 'too late' });
  assert.deepEqual(
    offers.map(({ id, icon }) => [id, icon !== undefined]),
    [
      ['evm:early', true],
      ['evm:io.rabby', true],
      ['evm:evil', false],
    ],
  );
});

test('a silent connection of a wallet prompts nothing; an explicit one reports a locked wallet', async () => {
  const closed = wallet({ eth_accounts: [], eth_requestAccounts: [] });
  assert.equal(await find(closed).connect(true), undefined);
  assert.deepEqual(closed.asked, ['eth_accounts']);
  await assert.rejects(find(closed).connect(false), (error) => error instanceof WalletProblem && error.trouble === 'locked');
});

test('a message is signed as its bytes in hex, by the connected address', async () => {
  const provider = wallet({ eth_requestAccounts: ['0xabc'], personal_sign: '0xsig' });
  const session = await find(provider).connect(false);
  assert.equal(await session?.signMessage('market:é'), '0xsig');
  assert.deepEqual(provider.params[1], ['0x6d61726b65743ac3a9', '0xabc']);
});

test('the network is switched only if it differs; an unknown one is added; a refusal is reported', async () => {
  const there = wallet({ eth_requestAccounts: ['0xabc'], eth_chainId: '0x2105' });
  await (await find(there).connect(false))?.enterNetwork(base);
  assert.ok(!there.asked.includes('wallet_switchEthereumChain'));

  let chain = '0x1';
  const unknown = wallet({
    eth_requestAccounts: ['0xabc'],
    eth_chainId: () => chain,
    wallet_switchEthereumChain: { code: 4902, message: 'Unrecognized chain' },
    wallet_addEthereumChain: () => {
      chain = '0x2105';
    },
  });
  await (await find(unknown).connect(false))?.enterNetwork(base);
  assert.ok(unknown.asked.includes('wallet_addEthereumChain'));

  for (const answer of [{ code: 4001, message: 'x' }, null]) {
    const stubborn = wallet({ eth_requestAccounts: ['0xabc'], eth_chainId: '0x1', wallet_switchEthereumChain: answer });
    const session = await find(stubborn).connect(false);
    await assert.rejects(
      async () => session?.enterNetwork(base),
      (error) => error instanceof WalletProblem && error.trouble === 'network_refused',
    );
  }
});

test('paying sends exactly the prepared call, stores the hash, and leaves fee and nonce to the wallet', async () => {
  const provider = wallet({ eth_requestAccounts: ['0xabc'], eth_sendTransaction: '0xhash' });
  const session = await find(provider).connect(false);
  const kept: string[] = [];
  assert.equal(await session?.payUsdc(payment, (reference) => kept.push(reference)), '0xhash');
  assert.deepEqual([kept, provider.params[1]], [['0xhash'], [{ from: '0xabc', to: '0xusdc', data: '0xa9', value: '0x0', gas: '0x5' }]]);
  await assert.rejects(async () => session?.payUsdc({ ...payment, payer: '0xother' }, () => undefined), /another wallet/);
});

test('in the sandbox a wallet must be on the sandbox’s own chain before it is asked to pay', async () => {
  const provider = wallet({ eth_requestAccounts: ['0xabc'], eth_chainId: '0x2105' });
  const refusal = new WalletProblem('real_money', 'Real.');
  const session = await find(provider, { requireSandboxNode: async () => await Promise.reject(refusal) }).connect(false);
  await assert.rejects(async () => session?.enterNetwork(base), refusal);
});
