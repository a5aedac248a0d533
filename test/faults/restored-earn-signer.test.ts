/** An old backup is restored beside a separate signer whose journal survived: a deposit that reached its venue is found there. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deposited, LEND, openSigner, positionOf, readMovement, register, transfer, untilStatus } from '../earn/stage.ts';
import { type MarketCommand, runMarketCommand } from '../harness/market-command.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { chainOf, requireSound, USDC } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { reconcile, startCompared, untilHurried } from './restored-stage.ts';

const SECRET = 'c5'.repeat(32);
const skip = !isThorough && THOROUGH_ONLY;
let shared: SharedMoney;
let signer: MarketCommand;
let url: string;

async function startSigner(): Promise<void> {
  const limits = { OUTFLOW_HOURLY_USD: '5000', PAYOUT_ACCOUNT_FROM_USD: '0' };
  signer = runMarketCommand(['signer'], { ...shared.settings, ...limits, SIGNER_SECRET: SECRET, SIGNER_PORT: '0' });
  url = await signer.said(/^ready (\S+)$/m);
}

async function stopSigner(): Promise<void> {
  signer.child.kill('SIGTERM');
  await signer.ended;
}

before(async () => {
  if (skip !== false) return;
  shared = await openSharedMoney({ ownChains: true });
  await startSigner();
});
after(async () => {
  if (skip !== false) return;
  await stopSigner();
  await shared.close();
});

const watching = () => ({
  SIGNER_URL: url,
  SIGNER_SECRET: SECRET,
  TREASURY_SOLANA_ADDRESS: chainOf(shared, 'solana-mainnet').treasury,
  TREASURY_EVM_ADDRESS: chainOf(shared, 'base-mainnet').treasury,
});

test('B01, B05: with a separate signer, a deposit that reached its venue before a restore is minted, not sent again', {
  skip,
}, async () => {
  const at = (to: string) => ({ ...shared, url: to });
  const first = await startCompared(shared, watching());
  const anna = await openSigner(at(first.url), 500n * USDC);
  await deposited(at(first.url), anna, 100);
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();
  const lost = await shared.startServer(watching());
  const reference = await transfer(anna, 50n * USDC, 'final');
  const body = { amount_usd: 50, incoming_tx_hash: reference, key: LEND };
  const sent = await register(at(lost.url), anna, body);
  const id = String(sent.body['data'].deposit_id);
  const deployed = await untilStatus(at(lost.url), anna, id, 'deployed');
  const had = await positionOf(at(lost.url), anna);
  await lost.kill('SIGTERM');
  await stopSigner();
  await backup.restore();

  const { code, output } = await reconcile(shared, watching());
  assert.equal(code, 0, output);
  await startSigner();
  const second = await shared.startServer(watching());
  await register(at(second.url), anna, body);
  await untilHurried(shared, 'the shares', async () =>
    (await readMovement(at(second.url), anna, id))['status'] === 'deployed' ? true : undefined,
  );
  const found = await readMovement(at(second.url), anna, id);
  assert.equal(found['deploy_tx_hash'], deployed['deploy_tx_hash'], 'the same transaction');
  assert.equal((await positionOf(at(second.url), anna))?.['shares'], had?.['shares']);
  await requireSound(shared.money);
  await second.kill('SIGTERM');
});
