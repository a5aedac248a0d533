import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { refusedFor, somebody, startTestChain, type TestChain, USDC } from '../../../testing/evm-test-chain.ts';
import { allowNow, depositOf, lendVault, redeemOf, untilDecided, venuesOf } from '../../../testing/venue-test-bench.ts';
import type { VenueCall } from '../chains/yield-venues.ts';
import { createLogger } from '../telemetry/logger.ts';
import { OutflowHeld } from './outflow-limits.ts';
import { createSignerServer } from './signer-server.ts';
import { createSignerService } from './signer-service.ts';
import { openSigningJournal, type SigningJournal } from './signing-journal.ts';
import type { StoredVenueCall } from './venue-limits.ts';
import { openVenueSigner, type VenueSigner } from './venue-signer.ts';

const SECRET = 'e7'.repeat(32);
const NETWORK = 'base-mainnet';
const NO_LIMITS = {
  hourlyMicros: 1n,
  floatMicros: 1n,
  accountFromMicros: 0n,
  accountsPerDestination: 1,
  accountLamportsPerDay: 0n,
};

describe('K05: a separate signer of calls of vaults', () => {
  let evm: TestChain;
  let server: Server;
  let journal: SigningJournal;
  let signer: VenueSigner;
  let folder: string;
  const stored = new Map<string, StoredVenueCall>();

  before(async () => {
    evm = await startTestChain({ treasury: { micros: 1_000n * USDC } });
    folder = await mkdtemp(join(tmpdir(), 'signer-'));
    journal = await openSigningJournal(folder);
    const service = createSignerService({
      chains: new Map([[NETWORK, evm.chain]]),
      // Money in a vault still belongs to the treasury, so these limits do not apply.
      limits: NO_LIMITS,
      journal,
      log: createLogger({ level: 'silent', pretty: false }),
      readIntent: async () => undefined,
      readVenueCall: async (id) => stored.get(id),
      venues: [{ network: NETWORK, at: lendVault }],
    });
    server = createSignerServer({ service, secret: SECRET, log: createLogger({ level: 'silent', pretty: false }) });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    signer = openVenueSigner({ url, secret: SECRET }, new Map());
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await journal.close();
    await rm(folder, { recursive: true, force: true });
  });

  function store(call: VenueCall, change: Partial<StoredVenueCall> = {}): VenueCall {
    const reservedMicros = call.kind === 'deposit' ? call.assets : 0n;
    stored.set(call.intentId, { id: call.intentId, state: 'queued', network: NETWORK, call, reservedMicros, closedFor: null, ...change });
    return call;
  }

  const fairDeposit = async (assets: bigint) =>
    depositOf(lendVault, assets, ((await venuesOf(evm.chain).previewDeposit(lendVault, assets)) * 99n) / 100n);

  test('the separate signer signs the stored call once: a repetition gets the same bytes, also after a restart of the journal', async () => {
    const call = store(await fairDeposit(100n * USDC));
    const signed = await signer.sign(NETWORK, call);
    assert.equal((await signer.sign(NETWORK, call)).bytes, signed.bytes);
    const reread = await openSigningJournal(folder);
    assert.deepEqual(reread.find(call.intentId)?.call, call);
    assert.equal(reread.readFigures({ id: 'other', network: NETWORK, destination: '' }).openMicros, 0n);
    await reread.close();
    const raised = await signer.replace(NETWORK, call, signed);
    assert.equal(raised?.validity, signed.validity);
    await evm.chain.broadcast(raised ?? signed);
    assert.equal((await untilDecided(evm.chain, call, signed)).state, 'landed');
    // Restored books ask again: they get the bytes that are on chain, and no new signature.
    assert.equal((await signer.sign(NETWORK, call)).bytes, raised?.bytes);
    store({ ...(await fairDeposit(50n * USDC)), intentId: call.intentId });
    await assert.rejects(signer.sign(NETWORK, call), /nothing more is signed/);
  });

  test('the separate signer refuses a call with another vault or router, without reservation or fair minimum, finished, or while outflow is closed', async () => {
    const call = await fairDeposit(10n * USDC);
    const cases: [VenueCall, Partial<StoredVenueCall>, RegExp][] = [
      [{ ...call, at: { ...lendVault, venue: somebody() } }, {}, /not in the settings/],
      [{ ...call, at: { ...lendVault, router: somebody() } }, {}, /not in the settings/],
      [call, { reservedMicros: 0n }, /books do not hold/],
      [call, { closedFor: 'Outflow is closed.' }, /Outflow is closed/],
      [call, { state: 'failed' }, /nothing is signed/],
      [{ ...call, minUnits: 1n }, {}, /asks for 80%/],
    ];
    for (const [wanted, change, expected] of cases) {
      store(wanted, change);
      await assert.rejects(signer.sign(NETWORK, wanted), (error: Error) => error instanceof OutflowHeld && expected.test(error.message));
    }
    await assert.rejects(signer.sign(NETWORK, depositOf(lendVault, USDC, 1n)), /knows no such call/);
  });

  test('the separate signer refuses another amount as long as the first signature may still land', async () => {
    const call = store(await fairDeposit(20n * USDC));
    await signer.sign(NETWORK, call);
    store({ ...(await fairDeposit(30n * USDC)), intentId: call.intentId });
    await assert.rejects(signer.sign(NETWORK, call), /may still land/);
  });

  test('the separate signer passes on a refusal of the vault with its reason', async () => {
    await allowNow(evm.chain, lendVault);
    const units = 10n ** 12n * 10_000n;
    const call = store(redeemOf(lendVault, units, await venuesOf(evm.chain).valueOf(lendVault, units)));
    await assert.rejects(signer.sign(NETWORK, call), refusedFor('venue'));
  });
});
