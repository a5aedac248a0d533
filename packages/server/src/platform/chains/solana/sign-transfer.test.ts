import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createWallet, openSolanaBench, type SolanaBench, USDC_MINT } from '../../../../testing/solana-test-bench.ts';
import { createAccount, freeze, initializeTokenAccount, mintTo, setOwner } from '../../../../testing/solana-test-instructions.ts';
import { type Chain, type OutgoingTransfer, TransferRefused } from '../chain.ts';
import { deriveTokenAccount } from './token-account.ts';

const FIVE = 5_000_000n;

let bench: SolanaBench;
let chain: Chain;

before(async () => {
  bench = await openSolanaBench();
  chain = bench.openChain();
  await bench.fund(bench.treasury, 100_000_000n);
});
after(() => bench.close());

const transferTo = (destination: string, amount = FIVE): OutgoingTransfer => ({
  intentId: randomUUID(),
  destination,
  asset: 'usdc',
  amount,
});

function refuses(reason: TransferRefused['reason'], transfer: OutgoingTransfer, from: Chain = chain): Promise<void> {
  return assert.rejects(from.signTransfer(transfer), (error) => {
    assert.ok(error instanceof TransferRefused);
    assert.equal(error.reason, reason, error.message);
    return true;
  });
}

test('more USDC than the treasury has is refused as insufficient_usdc', async () => {
  const { usdcMicros } = await chain.readBalances(bench.treasury.address);
  await refuses('insufficient_usdc', transferTo(createWallet().address, usdcMicros + 1n));
  const poor = createWallet();
  await bench.fund(poor, 0n);
  await refuses('insufficient_usdc', transferTo(createWallet().address), bench.openChain({ treasury: poor }));
});

test('a treasury without SOL, or with too little to open the destination’s account, is refused as insufficient_native', async () => {
  const broke = createWallet();
  await bench.fund(broke, FIVE, 0n);
  await refuses('insufficient_native', transferTo(createWallet().address), bench.openChain({ treasury: broke }));
  const nearlyBroke = createWallet();
  await bench.fund(nearlyBroke, FIVE, 1_500_000n);
  await refuses('insufficient_native', transferTo(createWallet().address), bench.openChain({ treasury: nearlyBroke }));
});

test('M28: a destination that is no wallet is refused as destination', async () => {
  const offCurve = await deriveTokenAccount(createWallet().address, USDC_MINT);
  const program = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
  for (const destination of [
    '',
    'nonsense',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    offCurve,
    USDC_MINT,
    program,
    bench.treasury.address,
  ]) {
    await refuses('destination', transferTo(destination));
  }
});

test('M28: a token account as destination is refused, and its owner is accepted', async () => {
  const [owner, loose] = [createWallet(), createWallet()];
  await bench.fund(owner, 0n);
  const open = [createAccount(owner.address, loose.address, 165), initializeTokenAccount(loose.address, USDC_MINT, owner.address)];
  await bench.send(open, [owner, loose]);
  await refuses('destination', transferTo(loose.address));
  assert.ok(await chain.signTransfer(transferTo(owner.address)));
});

test('a wallet whose USDC account has another owner is refused as destination', async () => {
  const [seller, thief] = [createWallet(), createWallet()];
  const account = await bench.fund(seller, 1n);
  await bench.send([setOwner(account, seller.address, thief.address)], [seller]);
  await refuses('destination', transferTo(seller.address));
  await assert.rejects(chain.signTransfer(transferTo(seller.address)), /given away its USDC account/);
});

test('M28: a frozen destination is refused as destination, a frozen treasury as other', async () => {
  const [issuer, mint, blocked] = [createWallet(), createWallet(), createWallet()];
  await bench.fund(issuer, 0n);
  await bench.issueToken(issuer, mint);
  const own = bench.openChain({ usdcMint: mint.address });
  const [ours, theirs] = await Promise.all([bench.treasury, blocked].map(({ address }) => deriveTokenAccount(address, mint.address)));
  assert.ok(ours !== undefined && theirs !== undefined);
  const open = await Promise.all([bench.treasury, blocked].map(({ address }) => bench.openTokenAccount(issuer, address, mint.address)));
  await bench.send([...open, mintTo(mint.address, ours, issuer.address, FIVE)], [issuer]);
  assert.ok(await own.signTransfer(transferTo(blocked.address)));
  await bench.send([freeze(theirs, mint.address, issuer.address)], [issuer]);
  await refuses('destination', transferTo(blocked.address), own);
  await bench.send([freeze(ours, mint.address, issuer.address)], [issuer]);
  await refuses('other', transferTo(createWallet().address), own);
});

test('a treasury without a key, a zero amount and an id too long for a memo are refused', async () => {
  await refuses('other', transferTo(createWallet().address), bench.openChain({ treasury: { address: bench.treasury.address } }));
  for (const amount of [0n, -1n, 2n ** 64n]) await refuses('other', transferTo(createWallet().address, amount));
  for (const intentId of ['', 'two words', 'ü', 'x'.repeat(300)])
    await refuses('other', { ...transferTo(createWallet().address), intentId });
});

test('a signer whose key does not match its address signs nothing', async () => {
  const { signMessage } = createWallet();
  const impostor = bench.openChain({ treasury: { address: bench.treasury.address, signMessage } });
  await assert.rejects(impostor.signTransfer(transferTo(createWallet().address)), /does not belong to that address/);
});

test('signing sends nothing', async () => {
  const destination = createWallet().address;
  await chain.signTransfer(transferTo(destination));
  bench.settle();
  assert.deepEqual(await chain.readBalances(destination), { usdcMicros: 0n, native: 0n });
});
