/** Destinations of a withdrawal when a contract wallet is proven on another network than the vault's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WalletProof } from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import type { Chain } from '../../platform/chains/chain.ts';
import type { EarnContext } from './earn-context.ts';
import { type Mover, requireDestination } from './movers.ts';

const WALLET = '0x857b06519E91e3A54538791bDbb0E22373e36b66';
const mover: Mover = { owner: { kind: 'wallet', id: WALLET }, allowed: [WALLET], freeHand: WALLET, prove: async () => undefined };
/** The vault's network. Only the rule of addresses is tested; nothing asks a chain. */
const alt = { network: 'alt-mainnet', canonicalAddress: (text: string) => text, findUnpayable: async () => undefined } as unknown as Chain;
const context = { chains: new Map() } as unknown as EarnContext;

const provenOnBase = (proof: WalletProof): Caller => ({
  wallet: { chain: 'base', address: WALLET, proof, provenOn: [{ network: 'base-mainnet', caip2: 'eip155:8453' }] },
  byCookieOnly: false,
});

test('A09, V04: an ordinary proof of a contract wallet cannot withdraw to its address on a network where it is not proven', async () => {
  for (const proof of ['signature', 'single_use', 'sign_in', 'session'] as const)
    await assert.rejects(requireDestination(context, alt, provenOnBase(proof), mover, WALLET), { code: 'earn_destination_not_yours' });
  assert.equal(await requireDestination(context, alt, provenOnBase('custody'), mover, WALLET), WALLET, 'the wallet names it itself');
});

test('a withdrawal to a wallet with a private key may go to its address on every network', async () => {
  const caller: Caller = { wallet: { chain: 'base', address: WALLET, proof: 'signature' }, byCookieOnly: false };
  assert.equal(await requireDestination(context, alt, caller, mover, WALLET), WALLET);
});
