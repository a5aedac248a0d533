import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { MarketError } from '@market/contract';
import { ed25519 } from '@noble/curves/ed25519';
import { base58 } from '@scure/base';
import { buildSIWxSchema, createSIWxPayload, encodeSIWxHeader } from '@x402/extensions/sign-in-with-x';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { createSecretBox } from '../platform/secrets/secret-box.ts';
import { type SignInMessage, signInText } from './sign-in-message.ts';
import { createSignInWithX, type SignInOptions, type SignInWithX } from './sign-in-with-x.ts';
import type { SmartWalletVerifier } from './verify-wallet-signature.ts';

/** Addresses that these tests never use. */
const SOMEWHERE = { usdcAddress: 'usdc', treasury: 'treasury' };

const BASE = 'eip155:8453';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const MINUTE = 60_000;
const master = (letter: string) => Buffer.alloc(32, letter);

const account = privateKeyToAccount(generatePrivateKey());
const solanaSecret = Buffer.alloc(32, 9);
const solana = {
  publicKey: base58.encode(ed25519.getPublicKey(solanaSecret)),
  signMessage: async (bytes: Uint8Array) => ed25519.sign(bytes, solanaSecret),
};

suite('sign-in-with-x', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let now = new Date('2026-11-15T12:00:00.000Z');
  before(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase({ connection: testDatabase.connection, poolSize: 6, onError: () => undefined });
  });
  after(async () => {
    await database.close();
    await testDatabase.drop();
  });

  /** Each call opens another process of the same deployment. */
  const open = (more: Partial<SignInOptions> = {}) => {
    const signIn = createSignInWithX({
      db: database.db,
      clock: { now: () => now, realNow: () => now },
      secrets: createSecretBox({ current: master('a'), previous: [] }),
      smartWallets: undefined,
      actionMessages: { challenge: () => assert.fail(), isOurs: () => false, read: () => assert.fail() },
      origins: ['https://api.example.com', 'https://app.example.com'],
      chains: [
        { ...SOMEWHERE, network: 'solana-mainnet', chainId: SOLANA, type: 'ed25519' },
        { ...SOMEWHERE, network: 'base-mainnet', chainId: BASE, type: 'eip191' },
      ],
      ...more,
    });
    return { ...signIn, read: (header: string) => signIn.read(header, '127.0.0.1') };
  };

  const asked = (signIn: Pick<SignInWithX, 'challengeAt'>, host = 'api.example.com'): Record<string, string> => {
    const challenge = signIn.challengeAt(host, '/api/orders/ord_1');
    assert.ok(challenge);
    return challenge.extension['sign-in-with-x']['info'] as Record<string, string>;
  };

  /** Signs the challenge, changed as a client might change it. */
  const signed = async (info: Record<string, unknown>, changes: Partial<Record<keyof SignInMessage, unknown>> = {}): Promise<string> => {
    const message = { ...info, chainId: BASE, type: 'eip191', address: account.address, ...changes } as SignInMessage;
    const signature = await account.signMessage({ message: signInText(message, message.address) });
    return encodeSIWxHeader({ ...message, signature });
  };

  const refusedWith = (code: string, words: RegExp) => (thrown: unknown) => {
    assert.ok(thrown instanceof MarketError, String(thrown));
    assert.deepEqual([thrown.code, thrown.status], [code, 401], thrown.message);
    assert.match(thrown.message, words);
    return true;
  };

  test('the challenge is complete, and names the called host only if it is one of ours', () => {
    const signIn = open();
    for (const [host, named] of [
      ['api.example.com', 'api.example.com'],
      ['app.example.com', 'app.example.com'],
      ['evil.example', 'api.example.com'],
    ] as const) {
      const challenge = signIn.challengeAt(host, '/api/orders/ord_1');
      const info = asked(signIn, host);
      assert.deepEqual([info['domain'], info['uri'], challenge?.url], [named, `https://${named}/api/orders/ord_1`, info['uri']]);
      assert.deepEqual(challenge?.extension['sign-in-with-x']['schema'], buildSIWxSchema());
    }
    assert.equal(open({ chains: [] }).challengeAt('api.example.com', '/'), undefined);
  });

  test('an official client proves an EVM wallet and a Solana wallet, at any process', async () => {
    const info = { ...asked(open()), chainId: BASE, type: 'eip191' as const };
    const payload = await createSIWxPayload(info as never, account, 'https://api.example.com/api/orders/ord_1');
    const wallet = await open().read(encodeSIWxHeader(payload));
    assert.deepEqual([wallet.chain, wallet.address, wallet.proof], ['base', account.address, 'sign_in']);

    const other = { ...asked(open(), 'app.example.com'), chainId: SOLANA, type: 'ed25519' as const };
    const second = await createSIWxPayload(other as never, solana as never, 'https://app.example.com/api/orders/ord_1');
    const proved = await open().read(encodeSIWxHeader(second));
    assert.deepEqual([proved.chain, proved.address, proved.proof], ['solana', solana.publicKey, 'sign_in']);
  });

  test('a lower-case address is the same wallet, and a contract wallet is verified by its contract', async () => {
    const lower = await open().read(await signed(asked(open()), { address: account.address.toLowerCase() }));
    assert.equal(lower.address, account.address);
    const questions: string[] = [];
    const base = { network: 'base-mainnet', caip2: BASE } as const;
    const smartWallets: SmartWalletVerifier = {
      home: 'base-mainnet',
      verify: async ({ address }) => (questions.push(address) > 0 ? [base] : []),
    };
    const contract = '0x857b06519E91e3A54538791bDbb0E22373e36b66';
    const byContract = await open({ smartWallets }).read(await signed(asked(open()), { address: contract }));
    assert.deepEqual([byContract.address, byContract.provenOn, questions], [contract, [base], [contract]]);
  });

  test('of many concurrent uses of a message exactly one is accepted, and none later', async () => {
    const header = await signed(asked(open()));
    const uses = await Promise.allSettled(Array.from({ length: 8 }, () => open().read(header)));
    assert.equal(uses.filter(({ status }) => status === 'fulfilled').length, 1);
    now = new Date(now.getTime() + 14 * MINUTE);
    await assert.rejects(open().read(header), refusedWith('signature_already_used', /one request/));
  });

  test('a used nonce is spent for every wallet', async () => {
    const info = asked(open());
    await open().read(await signed(info));
    const payload = await createSIWxPayload({ ...info, chainId: SOLANA, type: 'ed25519' } as never, solana as never, info['uri'] ?? '');
    await assert.rejects(open().read(encodeSIWxHeader(payload)), refusedWith('signature_already_used', /one request/));
  });

  test('a refused message does not spend its nonce', async () => {
    const info = asked(open());
    await assert.rejects(open().read(await signed(info, { domain: 'evil.example' })), MarketError);
    await open().read(await signed(info));
  });

  test('a message is valid for fifteen minutes, with or without its own expiry', async () => {
    const { expirationTime: _, ...openEnded } = asked(open());
    const headers = [await signed(openEnded), await signed(openEnded)];
    now = new Date(now.getTime() + 15 * MINUTE);
    await open().read(headers[0] ?? '');
    now = new Date(now.getTime() + 1);
    await assert.rejects(open().read(headers[1] ?? ''), refusedWith('signature_expired', /expired/));
    const past = await signed(asked(open()), { expirationTime: new Date(now.getTime() - 1).toISOString() });
    await assert.rejects(open().read(past), refusedWith('signature_expired', /expired/));
    const future = await signed(asked(open()), { notBefore: new Date(now.getTime() + 5 * MINUTE).toISOString() });
    await assert.rejects(open().read(future), refusedWith('signature_from_future', /notBefore/));
    await assert.rejects(open().read(await signed(asked(open()), { expirationTime: 'soon' })), refusedWith('invalid_signature', /soon/));
  });

  test('another domain, address, chain, purpose or nonce is refused with the reason', async () => {
    const cases: [Partial<Record<keyof SignInMessage, unknown>>, RegExp][] = [
      [{ domain: 'evil.example', uri: 'https://evil.example/' }, /evil\.example.*api\.example\.com/],
      [{ uri: 'https://evil.example/api/orders/ord_1' }, /evil\.example/],
      [{ uri: 'http://api.example.com/api/orders/ord_1' }, /http:/],
      [{ uri: 'https://app.example.com/' }, /app\.example\.com/],
      [{ uri: 'not an address' }, /not an address/],
      [{ chainId: 'eip155:1' }, /eip155:1,.*eip155:8453/],
      [{ chainId: SOLANA }, /eip191/],
      [{ statement: 'Give everything to Mallory' }, /something else/],
      [{ nonce: 'a1b2c3d4e5f67890a1b2c3d4e5f67890' }, /nonce/],
      [{ issuedAt: new Date(now.getTime() - 1000).toISOString() }, /nonce/],
      [{ address: 'nobody' }, /nobody/],
    ];
    for (const [changes, words] of cases)
      await assert.rejects(open().read(await signed(asked(open()), changes)), refusedWith('invalid_signature', words));
  });

  test('a nonce of another deployment is refused; one issued under a former master key is accepted', async () => {
    const header = await signed(asked(open()));
    const stranger = open({ secrets: createSecretBox({ current: master('b'), previous: [] }) });
    await assert.rejects(stranger.read(header), refusedWith('invalid_signature', /nonce/));
    await open({ secrets: createSecretBox({ current: master('b'), previous: [master('a')] }) }).read(header);
  });

  test('any change to a signed message is refused', async () => {
    const message = JSON.parse(Buffer.from(await signed(asked(open())), 'base64').toString());
    const stranger = privateKeyToAccount(generatePrivateKey()).address;
    for (const changes of [
      { address: stranger },
      { requestId: 'x' },
      { resources: undefined },
      { statement: undefined },
      { signature: '0x00' },
    ]) {
      await assert.rejects(open().read(encodeSIWxHeader({ ...message, ...changes })), refusedWith('invalid_signature', /did not sign/));
    }
    await open().read(encodeSIWxHeader(message));
  });
});
