import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { somebody, startTestChain, type TestChain, USDC } from '../../../testing/evm-test-chain.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createSignerService, type StoredIntent } from './signer-service.ts';
import { openSigningJournal } from './signing-journal.ts';

const NETWORK = 'base-mainnet';
const WIDE = { hourlyMicros: 1_000n * USDC, floatMicros: 1_000n * USDC };

describe('K09: money that goes back has half of each limit', () => {
  let evm: TestChain;
  let folder: string;
  const stored = new Map<string, StoredIntent>();
  before(async () => {
    evm = await startTestChain({ treasury: { micros: 1_000n * USDC } });
    folder = await mkdtemp(join(tmpdir(), 'signer-'));
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  async function openSigner(name: string, limits: Partial<typeof WIDE>) {
    const journal = await openSigningJournal(join(folder, name));
    const service = createSignerService({
      chains: new Map([[NETWORK, evm.chain]]),
      limits: { ...WIDE, ...limits, accountFromMicros: 0n, accountsPerDestination: 1, accountLamportsPerDay: 0n },
      journal,
      log: createLogger({ level: 'silent', pretty: false }),
      readIntent: async (id) => stored.get(id),
      readVenueCall: async () => undefined,
      venues: [],
    });
    return {
      /** Returns `signed`, or why the payout is held. */
      async sign(purpose: string, usd: bigint): Promise<string> {
        const id = `pay_${stored.size}`;
        const sums = { amountMicros: usd * USDC, reservedMicros: usd * USDC, waitingMicros: 0n };
        stored.set(id, { id, purpose, state: 'queued', network: NETWORK, destination: somebody(), closedFor: null, ...sums });
        const answer = await service.answer({ intent_id: id, kind: 'payout', replace: false });
        return answer.kind === 'held' ? answer.message : answer.kind;
      },
      close: journal.close,
    };
  }

  for (const [limit, setting] of [
    ['hourlyMicros', 'OUTFLOW_HOURLY_USD'],
    ['floatMicros', 'OUTFLOW_FLOAT_USD'],
  ] as const) {
    test(`repeated refunds leave the other half of ${setting} to sellers, also after a restart of the signer`, async () => {
      const limits = { [limit]: 20n * USDC };
      const first = await openSigner(setting, limits);
      assert.equal(await first.sign('refund', 5n), 'signed');
      assert.equal(await first.sign('surplus', 3n), 'signed');
      for (const purpose of ['earn_refund', 'earn_withdrawal'])
        assert.match(await first.sign(purpose, 3n), new RegExp(`half of ${setting}`), purpose);
      await first.close();
      const signer = await openSigner(setting, limits);
      assert.match(await signer.sign('refund', 3n), new RegExp(`half of ${setting}`));
      assert.equal(await signer.sign('refund', 2n), 'signed', 'up to the half');
      assert.equal(await signer.sign('payout', 10n), 'signed', 'sellers keep the rest');
      assert.match(await signer.sign('payout', 1n), new RegExp(setting), 'the whole limit holds as before');
      await signer.close();
    });
  }

  test('a refund above half of OUTFLOW_FLOAT_USD leaves when no other refund is on its way', async () => {
    const signer = await openSigner('alone', { floatMicros: 20n * USDC });
    assert.equal(await signer.sign('refund', 15n), 'signed');
    assert.match(await signer.sign('refund', 1n), /half of OUTFLOW_FLOAT_USD/);
    assert.equal(await signer.sign('payout', 5n), 'signed');
    await signer.close();
  });

  test('payouts use the whole limit while no refund is on its way', async () => {
    const signer = await openSigner('whole', { hourlyMicros: 20n * USDC });
    assert.equal(await signer.sign('payout', 20n), 'signed');
    await signer.close();
  });
});
