import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeBase58 } from './base58.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { watchSolanaWallets } from './solana-wallets.ts';
import { type PreparedPayment, type WalletOffer, WalletProblem } from './wallet-session.ts';

const stage = new EventTarget();
Object.assign(globalThis, {
  addEventListener: stage.addEventListener.bind(stage),
  removeEventListener: stage.removeEventListener.bind(stage),
  dispatchEvent: stage.dispatchEvent.bind(stage),
});

const ADDRESS = '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK';
const signature = new Uint8Array(64).fill(7);
const unsigned = Uint8Array.from([1, ...new Uint8Array(64), 0x80, 1, 2, 3]);
const signedBytes = Uint8Array.from([1, ...signature, 0x80, 1, 2, 3]);
const payment = { payer: ADDRESS, transaction: { kind: 'solana', transaction: toBase64(unsigned) } } as unknown as PreparedPayment;

function wallet(more: { name?: string; chains?: string[]; features?: Record<string, unknown> } = {}) {
  const account = { address: ADDRESS };
  return {
    name: 'Ledgerly',
    icon: 'data:image/png;base64,',
    chains: ['solana:mainnet'],
    accounts: [],
    features: {
      'standard:connect': { connect: async () => ({ accounts: [account] }) },
      'solana:signMessage': { signMessage: async () => [{ signature }] },
      'solana:signTransaction': { signTransaction: async () => [{ signedTransaction: signedBytes }] },
    },
    ...more,
  };
}

function register(...wallets: object[]): void {
  const detail = (api: { register(...given: object[]): void }) => api.register(...wallets);
  stage.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail }));
}

function find(given: object, broadcastForeign = async (_signed: string) => 'handed in'): WalletOffer {
  const offers: WalletOffer[] = [];
  const stop = watchSolanaWallets((offer) => offers.push(offer), broadcastForeign);
  register(given);
  stop();
  const [offer] = offers;
  assert.ok(offer);
  return offer;
}

test('Solana wallets registered early and late are listed once each; those of other chains or without signing are omitted', () => {
  const offers: WalletOffer[] = [];
  const early = (event: Event) => (event as CustomEvent<{ register(given: object): void }>).detail.register(wallet({ name: 'Early' }));
  stage.addEventListener('wallet-standard:app-ready', early);
  const stop = watchSolanaWallets(
    (offer) => offers.push(offer),
    async () => '',
  );
  stage.removeEventListener('wallet-standard:app-ready', early);
  register(wallet(), wallet(), wallet({ name: 'Sui', chains: ['sui:mainnet'] }), wallet({ name: 'Watching', features: {} }));
  stop();
  assert.deepEqual(
    offers.map(({ id }) => id),
    ['solana:Early', 'solana:Ledgerly'],
  );
});

test('a Solana message signature is returned in base58', async () => {
  const session = await find(wallet()).connect(false);
  assert.deepEqual([session?.address, await session?.signMessage('x')], [ADDRESS, encodeBase58(signature)]);
});

test('V02: a wallet signs a sign-in message in its own window for it, or as a plain message if it writes another text', async () => {
  const message = [
    'market.example wants you to sign in with your Solana account:',
    ADDRESS,
    '',
    'Sign in.',
    '',
    'URI: https://market.example/api/auth/session',
    'Version: 1',
    'Chain ID: mainnet',
    'Nonce: 9c1e5a77',
    'Issued At: 2026-11-17T22:00:00.000Z',
    'Expiration Time: 2026-11-17T22:05:00.000Z',
    'Request ID: session',
  ].join('\n');
  const asked: object[] = [];
  const other = new Uint8Array(64).fill(9);
  const withSignIn = (written: string) => {
    const signIn = async (input: object) => {
      asked.push(input);
      return [{ signedMessage: new TextEncoder().encode(written), signature: other }];
    };
    return find(wallet({ features: { ...wallet().features, 'solana:signIn': { signIn } } })).connect(false);
  };
  assert.equal(await (await withSignIn(message))?.signIn?.(message), encodeBase58(other));
  assert.deepEqual(asked[0], {
    domain: 'market.example',
    address: ADDRESS,
    statement: 'Sign in.',
    uri: 'https://market.example/api/auth/session',
    version: '1',
    chainId: 'mainnet',
    nonce: '9c1e5a77',
    issuedAt: '2026-11-17T22:00:00.000Z',
    expirationTime: '2026-11-17T22:05:00.000Z',
    requestId: 'session',
  });
  assert.equal(await (await withSignIn('Something else'))?.signIn?.(message), encodeBase58(signature));
  assert.equal(await (await find(wallet()).connect(false))?.signIn?.(message), encodeBase58(signature));
});

test('the reference of a Solana payment is stored before the signed transaction is submitted', async () => {
  const steps: string[] = [];
  const session = await find(wallet(), async (signed) => {
    steps.push(`handed in ${fromBase64(signed).length} bytes`);
    return 'ref';
  }).connect(false);
  assert.equal(await session?.payUsdc(payment, (reference) => steps.push(reference)), 'ref');
  assert.deepEqual(steps, [encodeBase58(signature), `handed in ${signedBytes.length} bytes`]);
});

test('a refusal in the wallet is reported as such, and a silent connection never throws', async () => {
  const refuse = async () => await Promise.reject(new Error('User rejected the request.'));
  const closed = wallet({ features: { ...wallet().features, 'standard:connect': { connect: refuse } } });
  assert.equal(await find(closed).connect(true), undefined);
  await assert.rejects(find(closed).connect(false), (error) => error instanceof WalletProblem && error.trouble === 'refused');
});
