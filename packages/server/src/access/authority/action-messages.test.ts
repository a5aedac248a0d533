import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketError } from '@market/contract';
import { baseWallet, solanaWallet, type TestWallet } from '../../../../../test/harness/people.ts';
import { createSecretBox } from '../../platform/secrets/secret-box.ts';
import { type ActionMessagesOptions, createActionMessages } from './action-messages.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-15T12:00:00.000Z');
let now = START;

/** Each call opens the messages of another process, by default of the same deployment. */
const open = (more: Partial<ActionMessagesOptions> = {}) =>
  createActionMessages({
    clock: { now: () => new Date(now), realNow: () => new Date(now) },
    secrets: createSecretBox({ current: Buffer.alloc(32, 'a'), previous: [] }),
    smartWallets: undefined,
    origin: 'https://app.example.com',
    serviceName: 'Mercato',
    caip2Of: (chain) => (chain === 'solana' ? 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' : 'eip155:8453'),
    ...more,
  });

async function signedText(wallet: TestWallet, messages = open()) {
  const text = messages.challenge({ action: 'session' }, wallet).message;
  return { text, signature: await wallet.sign(text) };
}

const codeOf = (error: unknown): string => (error instanceof MarketError ? error.code : String(error));
const read = async (signed: { text: string; signature: string }, messages = open()): Promise<string> =>
  await messages.read(signed, '127.0.0.1').then(({ proof }) => proof, codeOf);

for (const makeWallet of [solanaWallet, baseWallet]) {
  test(`V02: a message of a ${makeWallet.name} is good for 5 minutes, at every process of the deployment`, async () => {
    now = START;
    const signed = await signedText(makeWallet());
    assert.equal(await read(signed), 'action');
    now = START + 5 * MINUTE;
    assert.equal(await read(signed), 'action');
    now = START + 5 * MINUTE + 1;
    assert.equal(await read(signed), 'signature_expired');
  });
}

test('V05: a message of another deployment is refused: another master key, or the same key and another host', async () => {
  now = START;
  const wallet = baseWallet();
  for (const elsewhere of [
    open({ secrets: createSecretBox({ current: Buffer.alloc(32, 'b'), previous: [] }) }),
    open({ origin: 'https://app.example.net' }),
    open({ origin: 'https://app.example.com.evil.example' }),
  ]) {
    assert.equal(await read(await signedText(wallet, elsewhere)), 'invalid_signature');
  }
});

test('a message stays valid when the master key changes', async () => {
  now = START;
  const rotated = open({ secrets: createSecretBox({ current: Buffer.alloc(32, 'b'), previous: [Buffer.alloc(32, 'a')] }) });
  assert.equal(await read(await signedText(solanaWallet()), rotated), 'action');
});

test('an account whose name could break the text is shown by its id alone, and the text stays ASCII', () => {
  now = START;
  const account = 'user\n\nURI: https://evil.example/:é';
  const { message } = open().challenge(
    { action: 'link_wallet', account, accountLabel: 'lovelace\nURI: https://evil.example' },
    baseWallet(),
  );
  assert.match(message, /^[\x20-\x7e\n]+$/);
  assert.deepEqual(message.match(/^URI: .*$/gm), ['URI: https://app.example.com/api/auth/wallets']);
  assert.ok(!message.includes('lovelace'));
});
